import { Inject, Injectable } from '@nestjs/common';
import type { Cause } from '../platform/policy.js';
import { Progress } from '../platform/progress.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deletedRecords } from '../projections/deleted-record.projection.js';

/** A deleted customer or account that a transaction has reached, and the event that brought it. */
export type ReachedRecord = {
  readonly kind: 'customer' | 'account';
  readonly id: string;
  readonly cause: Cause;
};

/** Deleted records of all tenants that were posted to after their deletion. */
@Injectable()
export class DeletedRecords {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /** Up to where `reached` knows the history, at least. */
  get position(): number {
    return this.progress.position(deletedRecords.name);
  }

  async reached(): Promise<readonly ReachedRecord[]> {
    const found: ReachedRecord[] = [];
    for await (const { kind, recordId: id, tenantId, reachedBy } of this.models.each(deletedRecords, PLATFORM, {
      where: { isReached: true },
    }))
      if (reachedBy) found.push({ kind, id, cause: { ...reachedBy, tenantId } });
    return found;
  }
}

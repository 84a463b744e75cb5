import { Inject, Injectable } from '@nestjs/common';
import type { Cause } from '../eventsourcing/policy.js';
import { Progress } from '../projecting/progress.js';
import { ReadModels } from './query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deletedRecords } from '../projections/deleted-record.projection.js';

/** A deleted customer or account that a later transaction posted to, and the event of that transaction. */
export type ReachedRecord = {
  readonly kind: 'customer' | 'account';
  readonly id: string;
  readonly cause: Cause;
};

/** Deleted records of all tenants with postings after their deletion. */
@Injectable()
export class DeletedRecords {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /** Minimum position of the history that `reached` covers. */
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

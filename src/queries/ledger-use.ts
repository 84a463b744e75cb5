import { Inject, Injectable } from '@nestjs/common';
import type { Direction } from '../aggregates/fields.js';
import type { Carrier } from '../aggregates/ledger-trail.js';
import type { Cause } from '../eventsourcing/policy.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { Progress } from '../projecting/progress.js';
import { balances } from '../projections/balance.projection.js';
import { transactions } from '../projections/ledger.projection.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { deletedRecords } from '../projections/account.projection.js';
import { CaughtUp } from './caught-up.js';
import { ReadModels } from './query.js';

const WAIT_MS = 5_000;

/**
 * Finds references to an account or category, and the streams that contain transactions. Results are up to date,
 * because every method first waits until the read models contain all events stored at the time of the call.
 */
@Injectable()
export class LedgerUse {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * Whether the account has any postings. A customer's account has the customer's id.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async hasTransactions(tenantId: string, accountId: string): Promise<boolean> {
    await this.caughtUp.withHead(balances, WAIT_MS);
    return (await this.models.get(balances, tenantScope(tenantId), accountId)) !== undefined;
  }

  /**
   * Whether a category rule refers to the account. Memberships prevent a rule that is created concurrently from
   * referring to the account, but older rules may have no membership.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async isInRule(tenantId: string, accountId: string): Promise<boolean> {
    await this.caughtUp.withHead(categoryRules, WAIT_MS);
    for await (const rule of this.models.each(categoryRules, tenantScope(tenantId)))
      if (rule.accountId === accountId) return true;
    return false;
  }

  /**
   * Whether one of the category's rules applies only to transactions in the given direction.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async hasRule(tenantId: string, categoryId: string, direction: Direction): Promise<boolean> {
    await this.caughtUp.withHead(categoryRules, WAIT_MS);
    for await (const rule of this.models.each(categoryRules, tenantScope(tenantId), { where: { categoryId } }))
      if (rule.direction === direction) return true;
    return false;
  }

  /**
   * Returns the stream that contains a transaction; undefined if there is none.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async find(
    tenantId: string,
    transactionId: string,
  ): Promise<{ readonly carrier: Carrier; readonly isReversal: boolean; readonly date: string } | undefined> {
    await this.caughtUp.withHead(transactions, WAIT_MS);
    const view = await this.models.get(transactions, tenantScope(tenantId), transactionId);
    return view && { carrier: view.carrier, isReversal: view.reversalOf !== null, date: view.date };
  }
}

/** A deleted customer or account to which a later transaction posted, and the event of that transaction. */
export type ReachedRecord = {
  readonly kind: 'customer' | 'account';
  readonly id: string;
  readonly cause: Cause;
};

/** Finds, for all tenants, the deleted records to which later transactions posted. */
@Injectable()
export class DeletedRecords {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /** Position up to and including which `reached` covers the history. `reached` may also cover later events. */
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

import { Inject, Injectable } from '@nestjs/common';
import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import { LedgerUse } from '../queries/ledger-use.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Policy } from '../eventsourcing/policy.js';
import { Restoring } from './restoring.js';

type Deletion = Recorded<Extract<CustomerEvent | AccountEvent, { type: 'CustomerDeleted' | 'AccountDeleted' }>>;

/**
 * A record with transactions cannot be deleted, but a transaction may be appended between that check and the deletion.
 * So this policy checks again after the deletion. RestorationWatch covers later transactions.
 */
@Injectable()
export class RestorationPolicy implements Policy {
  readonly name = 'restoration';
  readonly types = ['CustomerDeleted', 'AccountDeleted'];

  constructor(
    @Inject(LedgerUse) private readonly ledger: Pick<LedgerUse, 'hasTransactions' | 'isInRule'>,
    @Inject(Restoring) private readonly restoring: Restoring,
  ) {}

  async react(event: Deletion): Promise<void> {
    const { type, tenantId, recordId } = event;
    if (!(await this.ledger.hasTransactions(tenantId, recordId))) return;
    await this.restoring.restore(type === 'CustomerDeleted' ? 'customer' : 'account', recordId, event);
  }
}

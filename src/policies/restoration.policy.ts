import { Inject, Injectable } from '@nestjs/common';
import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import { LEDGER_USE, type LedgerUse } from '../aggregates/ledger-use.js';
import type { Recorded } from '../platform/event-catalogue.js';
import type { Policy } from '../platform/policy.js';
import { Restoring } from './restoring.js';

type Deletion = Recorded<Extract<CustomerEvent | AccountEvent, { type: 'CustomerDeleted' | 'AccountDeleted' }>>;

/**
 * A deletion is refused where the ledger knows the record, but a transaction may be stored between that look and the
 * deletion. So it is looked for once more when the deletion is stored; what comes after it, RestorationWatch sees.
 */
@Injectable()
export class RestorationPolicy implements Policy {
  readonly name = 'restoration';
  readonly types = ['CustomerDeleted', 'AccountDeleted'];

  constructor(
    @Inject(LEDGER_USE) private readonly ledger: LedgerUse,
    @Inject(Restoring) private readonly restoring: Restoring,
  ) {}

  async react(event: Deletion): Promise<void> {
    const { type, tenantId, recordId } = event;
    if (!(await this.ledger.hasTransactions(tenantId, recordId))) return;
    await this.restoring.restore(type === 'CustomerDeleted' ? 'customer' : 'account', recordId, event);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { LedgerDirectory, LedgerUse } from '../aggregates/ledger-use.js';
import { ReadModels } from '../platform/query.js';
import { tenantScope } from '../ports/read-store.js';
import { balances } from '../projections/balance.projection.js';
import { transactions } from '../projections/transaction.projection.js';
import { CaughtUp } from './caught-up.js';

const WAIT_MS = 5_000;

/** Asks the read models of the ledger, once they have everything that is stored. */
@Injectable()
export class ProjectedLedgerUse implements LedgerUse, LedgerDirectory {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  async hasTransactions(tenantId: string, accountId: string): Promise<boolean> {
    await this.caughtUp.withHead(balances, WAIT_MS);
    return (await this.models.get(balances, tenantScope(tenantId), accountId)) !== undefined;
  }

  async find(tenantId: string, transactionId: string) {
    await this.caughtUp.withHead(transactions, WAIT_MS);
    const view = await this.models.get(transactions, tenantScope(tenantId), transactionId);
    return view && { carrier: view.carrier, isReversal: view.reversalOf !== null };
  }
}

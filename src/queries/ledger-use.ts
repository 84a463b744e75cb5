import { Inject, Injectable } from '@nestjs/common';
import type { LedgerDirectory, LedgerUse } from '../aggregates/ledger-use.js';
import { readModelBehind } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { ReadModels } from '../platform/query.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import { tenantScope } from '../ports/read-store.js';
import { balances } from '../projections/balance.projection.js';
import { transactions } from '../projections/transaction.projection.js';

const WAIT_MS = 5_000;

/** Asks the read models of the ledger, once they have everything that is stored. */
@Injectable()
export class ProjectedLedgerUse implements LedgerUse, LedgerDirectory {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  async hasTransactions(tenantId: string, accountId: string): Promise<boolean> {
    await this.catchUp(balances.name);
    return (await this.models.get(balances, tenantScope(tenantId), accountId)) !== undefined;
  }

  async originOf(tenantId: string, transactionId: string): Promise<'reversal' | 'service' | undefined> {
    await this.catchUp(transactions.name);
    const view = await this.models.get(transactions, tenantScope(tenantId), transactionId);
    return view && (view.reversalOf === null ? 'service' : 'reversal');
  }

  private async catchUp(name: string): Promise<void> {
    if (!(await this.progress.reached(await this.events.head(), WAIT_MS, [name]))) throw readModelBehind();
  }
}

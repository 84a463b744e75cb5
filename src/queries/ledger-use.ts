import { Inject, Injectable } from '@nestjs/common';
import type { LedgerUse } from '../aggregates/ledger-use.js';
import { readModelBehind } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { ReadModels } from '../platform/query.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import { tenantScope } from '../ports/read-store.js';
import { balances } from '../projections/balance.projection.js';

const WAIT_MS = 5_000;

/** Asks the balances, once they have everything that is stored. */
@Injectable()
export class ProjectedLedgerUse implements LedgerUse {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  async hasTransactions(tenantId: string, accountId: string): Promise<boolean> {
    const head = await this.events.head();
    if (!(await this.progress.reached(head, WAIT_MS, [balances.name]))) throw readModelBehind();
    return (await this.models.get(balances, tenantScope(tenantId), accountId)) !== undefined;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { answers, query } from '../eventsourcing/handler.js';
import { PLATFORM, type Scope, tenantScope } from '../ports/read-store.js';
import { Progress } from '../projecting/progress.js';
import { auditActors } from '../projections/audit-log.projection.js';
import { transactions } from '../projections/ledger.projection.js';
import {
  lateEntries,
  type LateEntriesView,
  type LateEntryView,
  type PeriodChange,
  periods,
} from '../projections/period.projection.js';
import { ReadModels } from './query.js';

type Named = { readonly userName: string | null };

/** A tenant's periods as returned by the API: closings, reopenings and uncancelled late entries, newest first. */
export type Periods = {
  readonly closedThrough: string | null;
  readonly history: readonly (PeriodChange & Named)[];
  readonly late: readonly (Omit<LateEntryView, 'isDetected' | 'cause'> & Named)[];
};

export class GetPeriods extends query<Periods, [tenantId: string]>() {}

async function periodsOf(models: ReadModels, tenantId: string): Promise<Periods> {
  const [found, behind] = await Promise.all([
    models.get(periods, tenantScope(tenantId), tenantId),
    models.get(lateEntries, PLATFORM, tenantId),
  ]);
  const history = found?.history ?? [];
  const late = await uncancelled(models, tenantScope(tenantId), behind?.entries ?? []);
  const userIds = [...new Set([...history, ...late].map(({ userId }) => userId).filter((id) => id !== null))];
  const users = await models.getMany(auditActors, PLATFORM, userIds);
  const nameOf = (userId: string | null) => users.get(userId ?? '')?.name ?? null;
  return {
    closedThrough: found?.closedThrough ?? null,
    history: history.map((change) => ({ ...change, userName: nameOf(change.userId) })).toReversed(),
    late: late
      .map(({ isDetected: _, cause: __, ...entry }) => ({ ...entry, userName: nameOf(entry.userId) }))
      .toReversed(),
  };
}

async function uncancelled(models: ReadModels, scope: Scope, late: readonly LateEntryView[]) {
  const found = await models.getMany(
    transactions,
    scope,
    late.map(({ transactionId }) => transactionId),
  );
  return late.filter(({ transactionId }) => found.get(transactionId)?.isCancelled !== true);
}

/** A tenant's late entries that no LateEntriesDetected event contains yet. */
export type Undetected = LateEntriesView;

/** Finds, for all tenants, the late entries that no LateEntriesDetected event contains yet. */
@Injectable()
export class UndetectedEntries {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /** Last position that `all` is guaranteed to cover. `all` may also cover later events. */
  get position(): number {
    return this.progress.position(lateEntries.name);
  }

  async all(): Promise<readonly Undetected[]> {
    const found = await this.models.all(lateEntries, PLATFORM, { where: { isWaiting: true } });
    return found.map((view) => ({ ...view, entries: view.entries.filter(({ isDetected }) => !isDetected) }));
  }
}

export const periodQueryHandlers = [
  answers(GetPeriods, [ReadModels], (models, tenantId) => periodsOf(models, tenantId)),
];

import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { categoryRuleRecord } from './category-rule.aggregate.js';
import { EntryDate } from './fields.js';

export const Replace = z.enum(['NONE', 'RULE_SET']).meta({
  description: '`RULE_SET` also replaces categories assigned by rules. Categories chosen by users are never replaced.',
});
export type Replace = z.output<typeof Replace>;

export const ApplyCategoryRule = z
  .strictObject({
    dateFrom: EntryDate.optional(),
    dateTo: EntryDate.optional(),
    replace: Replace.default('NONE'),
    dryRun: z
      .boolean()
      .default(true)
      .meta({ description: 'If true, the transactions that would change are only counted.' }),
  })
  .refine(({ dateFrom = '', dateTo }) => dateTo === undefined || dateFrom <= dateTo, {
    path: ['dateTo'],
    error: 'Must not be before dateFrom.',
  })
  .prefault({})
  .meta({ id: 'ApplyCategoryRuleDto' });

const Count = z.int().min(0);
const Started = z.object({
  ruleId: z.string(),
  /** The rule as it was applied, without later changes. */
  rule: z.object(categoryRuleRecord.stored),
  dateFrom: z.string().nullable(),
  dateTo: z.string().nullable(),
  replace: Replace,
  /** Number of transactions to examine. */
  total: Count,
});
const Failure = z.object({ code: z.string(), message: z.string() });

/**
 * The application of a category rule to past transactions, and the undoing of an application. The changes themselves
 * are recorded with the transactions. A policy does the work in batches. The event at the end of a batch contains the
 * cursor of the next batch, so that the work can continue there after a crash.
 */
export const ruleApplicationEvents = {
  RuleApplicationStarted: domain('OTHER', 'rule-application', Started),
  RuleApplicationProgressed: technical(z.object({ after: z.string(), examined: Count, changed: Count })),
  RuleApplicationEnded: domain(
    'OTHER',
    'rule-application',
    z.object({ examined: Count, changed: Count, error: Failure.nullable() }),
  ),
  RuleApplicationUndoStarted: domain('OTHER', 'rule-application', z.object({})),
  RuleApplicationUndoProgressed: technical(z.object({ after: z.string(), restored: Count, kept: Count })),
  RuleApplicationUndoEnded: domain('OTHER', 'rule-application', z.object({ restored: Count, kept: Count })),
};
export type RuleApplicationEvent = EventOf<typeof ruleApplicationEvents>;

export type StartedRuleApplication = z.output<typeof Started> & {
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'UNDOING' | 'UNDONE';
  /** Cursor at which the next batch begins; empty for the first batch. */
  readonly after: string;
  readonly examined: number;
  readonly changed: number;
  readonly restored: number;
  readonly kept: number;
};
export type RuleApplication = { readonly status: 'absent' } | StartedRuleApplication;

export const ruleApplication: Aggregate<RuleApplication, RuleApplicationEvent> = {
  name: 'rule-application',
  events: ruleApplicationEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'RuleApplicationStarted')
      return { ...event.data, status: 'RUNNING', after: '', examined: 0, changed: 0, restored: 0, kept: 0 };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'RuleApplicationProgressed':
      case 'RuleApplicationUndoProgressed':
        return { ...state, ...event.data };
      case 'RuleApplicationEnded': {
        const { error, ...counts } = event.data;
        return { ...state, ...counts, status: error ? 'FAILED' : 'SUCCEEDED' };
      }
      case 'RuleApplicationUndoStarted':
        return { ...state, status: 'UNDOING', after: '' };
      case 'RuleApplicationUndoEnded':
        return { ...state, ...event.data, status: 'UNDONE' };
    }
  },
};

export function startedApplication(state: RuleApplication): StartedRuleApplication {
  if (state.status === 'absent') throw notFound('rule application');
  return state;
}

export const startApplication = (state: RuleApplication, data: z.output<typeof Started>): RuleApplicationEvent[] =>
  state.status === 'absent' ? [{ type: 'RuleApplicationStarted', data }] : [];

/** The batch that began at `after`. `next`: cursor at which the next batch begins; undefined for the last batch. */
type Part = { readonly after: string; readonly next: string | undefined };

/** Returns `[]` if another process has already recorded the batch. */
export function recordApplied(
  state: RuleApplication,
  part: Part & { readonly examined: number; readonly changed: number },
): RuleApplicationEvent[] {
  const { status, after, ...known } = startedApplication(state);
  if (status !== 'RUNNING' || after !== part.after) return [];
  const counts = { examined: known.examined + part.examined, changed: known.changed + part.changed };
  if (part.next === undefined) return [{ type: 'RuleApplicationEnded', data: { ...counts, error: null } }];
  return [{ type: 'RuleApplicationProgressed', data: { after: part.next, ...counts } }];
}

/** Ends an application that cannot continue. `changed`: number of changes that the failed batch made. */
export function failApplication(
  state: RuleApplication,
  { changed, ...error }: z.output<typeof Failure> & { readonly changed: number },
): RuleApplicationEvent[] {
  const known = startedApplication(state);
  if (known.status !== 'RUNNING') return [];
  const counts = { examined: known.examined, changed: known.changed + changed };
  return [{ type: 'RuleApplicationEnded', data: { ...counts, error } }];
}

/** Returns `[]` if the application is already being undone. @throws DomainError conflict RULE_APPLICATION_RUNNING */
export function startUndo(state: RuleApplication): RuleApplicationEvent[] {
  const { status } = startedApplication(state);
  if (status === 'RUNNING')
    throw conflict(
      'RULE_APPLICATION_RUNNING',
      'The rule is still being applied. Wait for this to finish, then undo it.',
    );
  return status === 'UNDOING' || status === 'UNDONE' ? [] : [{ type: 'RuleApplicationUndoStarted', data: {} }];
}

/** Returns `[]` if another process has already recorded the batch. */
export function recordUndone(
  state: RuleApplication,
  part: Part & { readonly restored: number; readonly kept: number },
): RuleApplicationEvent[] {
  const { status, after, ...known } = startedApplication(state);
  if (status !== 'UNDOING' || after !== part.after) return [];
  const counts = { restored: known.restored + part.restored, kept: known.kept + part.kept };
  if (part.next === undefined) return [{ type: 'RuleApplicationUndoEnded', data: counts }];
  return [{ type: 'RuleApplicationUndoProgressed', data: { after: part.next, ...counts } }];
}

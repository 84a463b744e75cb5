import type { Carrier } from '../aggregates/ledger-trail.js';
import type { RuleApplicationEvent, StartedRuleApplication } from '../aggregates/rule-application.aggregate.js';
import { ruleApplication } from '../aggregates/rule-application.aggregate.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { type LedgerEvent, ledgerSources, recategorizationOf } from './ledger-events.js';
import { recordProjection, texts } from './record-projection.js';

/** The application of a rule to past transactions. */
export type RuleApplicationView = Pick<
  StartedRuleApplication,
  'ruleId' | 'dateFrom' | 'dateTo' | 'replace' | 'status' | 'total' | 'examined' | 'changed' | 'restored' | 'kept'
> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
  readonly categoryId: string;
  /** The user who started the application. */
  readonly createdBy: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
};

export const ruleApplications: ReadModel<RuleApplicationView> = {
  name: 'rule_applications',
  version: 1,
  fields: texts<RuleApplicationView>('createdAt'),
  filters: [],
  order: { fields: ['createdAt'], direction: 'descending' },
};

export const ruleApplicationProjection = recordProjection(ruleApplications, ruleApplication, 'RuleApplicationStarted', {
  RuleApplicationStarted: ({ data: { rule, ...facts }, metadata }) => ({
    ...facts,
    categoryId: rule.categoryId,
    createdBy: metadata.userId ?? null,
    status: 'RUNNING',
    ...{ examined: 0, changed: 0, restored: 0, kept: 0, error: null },
  }),
  RuleApplicationProgressed: ({ data: { examined, changed } }) => ({ examined, changed }),
  RuleApplicationEnded: ({ data }) => ({ ...data, status: data.error ? 'FAILED' : 'SUCCEEDED' }),
  RuleApplicationUndoStarted: () => ({ status: 'UNDOING' }),
  RuleApplicationUndoProgressed: ({ data: { restored, kept } }) => ({ restored, kept }),
  RuleApplicationUndoEnded: ({ data }) => ({ ...data, status: 'UNDONE' }),
} satisfies Parameters<
  typeof recordProjection<RuleApplicationView, unknown, RuleApplicationEvent, 'RuleApplicationStarted'>
>[3]);

/** A transaction changed by an application, regardless of later changes. */
export type RuleApplicationChange = {
  readonly applicationId: string;
  readonly transactionId: string;
  readonly carrier: Carrier;
};

export const changeId = (applicationId: string, transactionId: string): string => `${applicationId}_${transactionId}`;

export const ruleApplicationChanges: ReadModel<RuleApplicationChange> = {
  name: 'rule_application_changes',
  version: 1,
  fields: texts<RuleApplicationChange>('applicationId', 'transactionId'),
  filters: ['applicationId'],
  order: { fields: ['transactionId'], direction: 'ascending' },
};

export const ruleApplicationChangeProjection: Projection<RuleApplicationChange, LedgerEvent> = {
  model: ruleApplicationChanges,
  sources: ledgerSources,
  recordsOf: [],
  documents: (event) => {
    const change = recategorizationOf(event);
    return change ? [changeId(change.applicationId, change.transactionId)] : [];
  },
  evolve: (view, event) => {
    const change = recategorizationOf(event);
    if (view || !change) return view;
    const { applicationId, transactionId } = change;
    return {
      applicationId,
      transactionId,
      carrier: { entity: event.entity as Carrier['entity'], recordId: event.recordId },
    };
  },
};

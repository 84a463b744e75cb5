import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';

/** Kinds of records: API name and display name. */
export const ENTITIES: readonly (readonly [entity: string, words: string])[] = [
  ['account', 'Account'],
  ['branch', 'Branch'],
  ['category', 'Category'],
  ['category-rule', 'Category rule'],
  ['rule-application', 'Application of a rule'],
  ['customer', 'Customer'],
  ['dead-letter', 'Dead letter'],
  ['error-log', 'Error'],
  ['forwarder', 'Forwarder'],
  ['inspection', 'Inspection'],
  ['integration-key', 'Partner key'],
  ['job', 'Job'],
  ['notification', 'Notification'],
  ['operator', 'Operator'],
  ['policy', 'Policy'],
  ['projection', 'Projection'],
  ['role', 'Role'],
  ['sale', 'Sale'],
  ['session', 'Session'],
  ['tenant', 'Tenant'],
  ['transaction', 'Transaction'],
  ['user', 'User'],
  ['webhook', 'Webhook'],
];

export const entityWords = (entity: string): string => ENTITIES.find(([known]) => known === entity)?.[1] ?? entity;

export const ACTIONS: readonly (readonly [action: AuditEntry['action'], words: string])[] = [
  ['CREATE', 'Created'],
  ['UPDATE', 'Changed'],
  ['DELETE', 'Deleted'],
  ['LOGIN', 'Signed in'],
  ['LOGOUT', 'Signed out'],
  ['OTHER', 'Other'],
];

export const actionWords = (action: AuditEntry['action']): string =>
  ACTIONS.find(([known]) => known === action)?.[1] ?? action;

/** Display name of an actor: a person, a partner's system, or the service itself. */
export function actorWords(userName: string | null): string {
  if (userName === null) return 'Unknown';
  const [, kind, name] = /^(partner|system):(.*)$/.exec(userName) ?? [];
  if (kind === 'partner') return `Partner ${name ?? ''}`;
  return kind === 'system' ? `The service (${name ?? ''})` : userName;
}

/** Link to the history of an entry's record, opened at the time of the entry. */
export const RecordLink = ({ entry, children }: { entry: AuditEntry; children: ReactNode }): ReactNode => (
  <Link
    params={{ entity: entry.entity, id: entry.entityId }}
    search={{ tenantId: entry.tenantId, at: String(entry.revision) }}
    to="/records/$entity/$id"
  >
    {children}
  </Link>
);

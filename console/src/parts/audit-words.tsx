import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import { t } from '../messages/catalogue';

/** Kinds of records: API name and display name. */
export const ENTITIES: readonly (readonly [entity: string, words: string])[] = [
  ['account', t('Account')],
  ['branch', t('Branch')],
  ['category', t('Category')],
  ['category-rule', t('Category rule')],
  ['rule-application', t('Application of a rule')],
  ['customer', t('Customer')],
  ['dead-letter', t('Dead letter')],
  ['error-log', t('Error')],
  ['forwarder', t('Forwarder')],
  ['inspection', t('Inspection')],
  ['integration-key', t('Partner key')],
  ['job', t('Job')],
  ['notification', t('Notification')],
  ['operator', t('Operator')],
  ['policy', t('Policy')],
  ['projection', t('Projection')],
  ['role', t('Role')],
  ['sale', t('Sale')],
  ['session', t('Session')],
  ['tenant', t('Tenant')],
  ['transaction', t('Transaction')],
  ['user', t('User')],
  ['webhook', t('Webhook')],
];

export const entityWords = (entity: string): string => ENTITIES.find(([known]) => known === entity)?.[1] ?? entity;

export const ACTIONS: readonly (readonly [action: AuditEntry['action'], words: string])[] = [
  ['CREATE', t('Created')],
  ['UPDATE', t('Changed')],
  ['DELETE', t('Deleted')],
  ['LOGIN', t('Signed in')],
  ['LOGOUT', t('Signed out')],
  ['OTHER', t('Other')],
];

export const actionWords = (action: AuditEntry['action']): string =>
  ACTIONS.find(([known]) => known === action)?.[1] ?? action;

/** Display name of an actor: a person, a partner's system, or the service itself. */
export function actorWords(userName: string | null): string {
  if (userName === null) return t('Unknown');
  const [, kind, name] = /^(partner|system):(.*)$/.exec(userName) ?? [];
  if (kind === 'partner') return t('Partner {name}', { name: name ?? '' });
  return kind === 'system' ? t('The service ({name})', { name: name ?? '' }) : userName;
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

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import { amountWords } from './amount';
import { dayWords } from './day';
import { serviceActorWords } from './service-parts';
import { TYPES } from './transaction-words';
import { byCode, inSentence, t } from '../messages/catalogue';
import { fieldWords } from '../messages/field-words';
import { locale } from '../messages/language';
import { serviceWords } from '../messages/service-words';

/** Record kinds, with their API names and display names. */
export const ENTITIES: readonly (readonly [entity: string, words: string])[] = [
  ['account', t('Account')],
  ['branch', t('Branch')],
  ['category', t('Category')],
  ['category-rule', t('Category rule')],
  ['rule-application', t('Rule application')],
  ['customer', t('Customer')],
  ['dead-letter', t('Dead letter')],
  ['error-log', t('Error')],
  ['factor', t('Second factor')],
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

/** Record kinds whose events are not in the audit log. */
const TECHNICAL: typeof ENTITIES = [
  ['claim', t('Claim')],
  ['defaults', t('Default accounts')],
  ['idempotency-key', t('Idempotency key')],
  ['integration-key-use', t('Partner key usage')],
  ['integrity', t('Integrity')],
  ['membership', t('Membership')],
  ['merchant-choices', t('Category choices')],
  ['notification-inbox', t('Inbox')],
  ['number-sequence', t('Number sequence')],
  ['push-delivery', t('Push delivery')],
  ['push-subscription', t('Push subscription')],
  ['request-key', t('Request key')],
  ['webhook-progress', t('Webhook progress')],
];

export const RECORD_KINDS = [...ENTITIES, ...TECHNICAL].toSorted(([, one], [, other]) =>
  one.localeCompare(other, locale),
);

export const entityWords = (entity: string): string => RECORD_KINDS.find(([known]) => known === entity)?.[1] ?? entity;

/** Returns a comma-separated list of field paths in words, as written within a sentence. Codes are not translated. */
const fieldList = (paths: string): string =>
  paths
    .split(', ')
    .map((path) => inSentence(fieldWords(path)))
    .join(', ');

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

export const recordAndActionWords = ({ entity, action }: Pick<AuditEntry, 'entity' | 'action'>): string =>
  `${entityWords(entity)}, ${actionWords(action).toLocaleLowerCase(locale)}`;

/** Returns the display name of an actor: a person, an operator, a partner's system, or the service itself. */
export function actorWords(userName: string | null): string {
  if (userName === null) return t('Unknown');
  if (userName === 'operator') return t('An operator');
  const [, kind, name] = /^(partner|system):(.*)$/.exec(userName) ?? [];
  if (kind === 'partner') return t('Partner {name}', { name: name ?? '' });
  return kind === 'system' ? serviceActorWords(name ?? '') : userName;
}

/** Matches the parts of a summary from the service, such as `Customer "Ada Ltd" updated: city, phone`. */
const SUMMARY = /^([A-Z][a-z ]*(?:"(.*)" [a-z ]+)?)(?:: ([\w, ]+))?$/s;

const TRANSACTION = /^([A-Z_]+) (\d+(?:\.\d+)?) ([A-Z]{3})$/;

/** Names that the service composes in English: notification titles, and the data that an operator read. */
const COMPOSED: Readonly<Record<string, (name: string) => string>> = {
  NotificationSent: serviceWords,
  NotificationAmended: serviceWords,
  EventsRead: fieldList,
  HistoryRead: (name) => name.replace(/^[\w-]+/, entityWords).replace(/\w+$/, (part) => PARTS[part] ?? part),
};
const PARTS: Readonly<Record<string, string>> = { events: t('Events'), state: t('State') };

/**
 * Returns a record's display name in a summary. The service identifies transactions by type and amount, and periods by
 * their last day.
 */
function nameWords(name: string, eventType: string): string {
  const composed = COMPOSED[eventType];
  if (composed !== undefined) return composed(name);
  const [, type, amount, currency] = TRANSACTION.exec(name) ?? [];
  if (amount !== undefined)
    return `${TYPES.find(([known]) => known === type)?.[1] ?? type} ${amountWords(amount)} ${currency}`;
  return /^\d{4}-\d\d-\d\d$/.test(name) ? dayWords(name) : name;
}

type Told = Pick<AuditEntry, 'eventType' | 'summary'>;

/** Returns the name of the record in the summary of one of its entries. Not all summaries contain a name. */
export function recordNameIn({ eventType, summary }: Told): string | undefined {
  const [, , name] = SUMMARY.exec(summary) ?? [];
  return name === undefined || eventType in COMPOSED ? undefined : nameWords(name, eventType);
}

/** Describes the action that an entry records, in the viewer's language. */
export function summaryWords(entry: Told): string {
  // The service calls partner keys integration keys.
  const words = wordsOf(entry).replace(/^Integration key/, entityWords('integration-key'));
  return entry.eventType === 'SaleRejected' ? words.replace(/[A-Z_]+$/, serviceWords) : words;
}

function wordsOf({ eventType, summary }: Told): string {
  const parts = SUMMARY.exec(summary);
  if (parts === null) return summary;
  const [, action = '', name, details] = parts;
  const words = byCode('event', eventType, action.replace(/".*"/s, '"{name}"'));
  const shown = name === undefined ? '' : nameWords(name, eventType);
  const sentence = shown === '' ? words.replace(/ \S*\{name\}\S*/, '') : words.replace('{name}', () => shown);
  return details === undefined ? sentence : `${sentence}: ${fieldList(details)}`;
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

import type { AuditEntry } from '../api/audit';
import type { HistoryEvent } from '../api/records';
import { actorWords } from './audit-words';
import { serviceActorWords } from './service-parts';
import { t } from '../messages/catalogue';

/** Returns a member's value, if it is a string. */
export const textIn = (metadata: unknown, name: string): string | undefined => {
  const value: unknown = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/**
 * Returns the name of an event's actor. The name comes from the audit log entry or, if there is none, from the event's
 * metadata.
 */
export function actorOf({ metadata, position }: HistoryEvent, audit: readonly AuditEntry[]): string {
  const entry = audit.find((each) => each.position === position);
  if (entry) return actorWords(entry.userName);
  const source = textIn(metadata, 'sourceId');
  if (source !== undefined) return t('Partner {source}', { source });
  const person = textIn(metadata, 'userId') ?? textIn(metadata, 'operatorId');
  return person ?? serviceActorWords(textIn(metadata, 'system') ?? t('automatic'));
}

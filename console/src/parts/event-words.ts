import type { AuditEntry } from '../api/audit';
import type { HistoryEvent } from '../api/records';
import { actorWords } from './audit-words';

/** A text that a value has under a name. */
export const textIn = (metadata: unknown, name: string): string | undefined => {
  const value: unknown = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** Who brought an event about: by name where the audit log tells, else as the event itself does. */
export function actorOf({ metadata, position }: HistoryEvent, audit: readonly AuditEntry[]): string {
  const entry = audit.find((each) => each.position === position);
  if (entry) return actorWords(entry.userName);
  const source = textIn(metadata, 'sourceId');
  if (source !== undefined) return `Partner ${source}`;
  const person = textIn(metadata, 'userId') ?? textIn(metadata, 'operatorId');
  return person ?? `The service (${textIn(metadata, 'system') ?? 'by itself'})`;
}

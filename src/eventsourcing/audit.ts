import type { AuditSubject } from './aggregate.js';
import type { Recorded } from './event-catalogue.js';

/** A domain event whose type declares an audit entry. */
export type Audited = Recorded & { readonly audit: NonNullable<Recorded['audit']> };

/** Whether the event has an entry in the audit log. */
export const isAudited = (event: Recorded): event is Audited => event.audit !== null && event.audit !== undefined;

/**
 * Returns the record to which an audit entry refers. Default: the record that owns the stream. The declaration of the
 * event type may specify another record, which is named in the event's data. Examples are a transaction in a sale's
 * stream and an account that became the default for its type.
 */
export const subjectOf = ({ audit, data, recordId }: Audited): AuditSubject =>
  audit.about?.(data as never) ?? { entity: audit.entity, entityId: audit.subject?.(data as never) ?? recordId };

/**
 * Event data fields by which people recognize a record, in order of preference. None of them is more sensitive than a
 * name.
 */
const LABELS = ['name', 'fullName', 'title', 'jobName', 'externalId'];
const MAX_LABEL_LENGTH = 120;
const MAX_SUMMARY_LENGTH = 400;
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

/**
 * Summarizes an event in the words of its type: `Customer "Ada Ltd" created`, `User "Ada" updated: fullName, phone`,
 * `Sale rejected: BRANCH_UNKNOWN`. The summary contains no event data other than the record's name, the names of
 * changed fields, and codes.
 */
export function summaryOf(event: Audited): string {
  const [subject, predicate] = sentenceOf(event.type, event.audit.entity);
  const label = labelOf(event);
  const named = label === undefined ? '' : ` "${clipped(label, MAX_LABEL_LENGTH)}"`;
  const detail = detailOf(event.data);
  return clipped(`${subject}${named} ${predicate}${detail === '' ? '' : `: ${detail}`}`, MAX_SUMMARY_LENGTH);
}

const clipped = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length)}…`);
const wordsOf = (pascal: string): string[] => pascal.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
const capital = (words: readonly string[]): string => {
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Parts of summaries, cached by event type. */
const sentences = new Map<string, readonly [subject: string, predicate: string]>();

/**
 * Splits the words of an event type into the two parts between which a summary inserts the record's name. The first
 * part is the entity or, if the type does not start with it, all words but the last.
 */
function sentenceOf(type: string, entity: string): readonly [subject: string, predicate: string] {
  const known = sentences.get(type);
  if (known) return known;
  const words = wordsOf(type);
  const ofEntity = entity.split('-');
  const isOwn = words.length > ofEntity.length && ofEntity.every((word, at) => words[at] === word);
  const cut = isOwn ? ofEntity.length : Math.max(1, words.length - 1);
  const sentence = [capital(words.slice(0, cut)), words.slice(cut).join(' ')] as const;
  sentences.set(type, sentence);
  return sentence;
}

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

function labelOf({ audit, data }: Audited): string | undefined {
  if (audit.label) return audit.label(data as never);
  const own = data as Members;
  const changes = membersOf(own['changes']);
  for (const name of LABELS) {
    const label = own[name] ?? changes[name];
    if (typeof label === 'string' && label !== '') return label;
  }
  return undefined;
}

function detailOf(data: object): string {
  const { changes, code, reason } = data as Members;
  if (changes !== undefined) return Object.keys(membersOf(changes)).join(', ');
  const cause = code ?? membersOf(reason)['code'] ?? reason;
  return typeof cause === 'string' && CODE.test(cause) ? cause : '';
}

import { BrokerRefused } from '../ports/broker.js';

// What no broker takes, whatever its engine.

/** Tokens of visible characters between single dots; the classes exclude each other, so matching takes linear time. */
const SUBJECT = /^[^\s\p{C}.*>]+(?:\.[^\s\p{C}.*>]+)*$/u;
const MAX_SUBJECT_LENGTH = 512;
const MAX_ID_LENGTH = 512;
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
const UNSAFE_TEXT = /\p{Cc}|\p{Cs}/u;

/** Whether messages may be published to it: no wildcards, no empty tokens. */
export const isSubject = (subject: string): boolean => subject.length <= MAX_SUBJECT_LENGTH && SUBJECT.test(subject);

export const isHeader = (name: string, value: string): boolean => HEADER_NAME.test(name) && !UNSAFE_TEXT.test(value);

/** @throws BrokerRefused */
export function requireAddress({ id, subject }: { readonly id: string; readonly subject: string }): void {
  // NATS trims values of headers, of which the id is one, and it must arrive as it is.
  if (id === '' || id.length > MAX_ID_LENGTH || UNSAFE_TEXT.test(id) || id.trim() !== id) {
    throw new BrokerRefused(
      'INVALID_ID',
      `A message id is 1 to ${MAX_ID_LENGTH} characters without control characters or outer white space.`,
    );
  }
  if (!isSubject(subject)) {
    throw new BrokerRefused('INVALID_SUBJECT', `Not a subject: ${JSON.stringify(subject.slice(0, 80))}`);
  }
}

export const refusedHeader = (name: string): BrokerRefused =>
  new BrokerRefused('INVALID_HEADER', `Not a header: ${JSON.stringify(name.slice(0, 80))}`);

/** @throws BrokerRefused for more bytes than are taken */
export function requireSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new BrokerRefused('PAYLOAD_TOO_LARGE', `A message of ${bytes} bytes is over the limit of ${maxBytes}.`);
}

/** @throws RangeError */
export function requireRange({ after, limit }: { readonly after: number; readonly limit: number }): void {
  if (Number.isSafeInteger(after) && Number.isSafeInteger(limit) && limit >= 0) return;
  throw new RangeError('browse needs whole numbers, and a limit that is not negative.');
}

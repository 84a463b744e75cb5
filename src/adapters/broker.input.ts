import { BrokerRefused } from '../ports/broker.js';

// Input validation shared by all broker adapters.

/**
 * Matches tokens of visible characters, separated by single dots. The two character classes are disjoint, so matching
 * takes linear time.
 */
const SUBJECT = /^[^\s\p{C}.*>]+(?:\.[^\s\p{C}.*>]+)*$/u;
const MAX_SUBJECT_LENGTH = 512;
const MAX_ID_LENGTH = 512;
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
const UNSAFE_TEXT = /\p{Cc}|\p{Cs}/u;

/** Whether the subject is valid for publishing. It must not contain wildcards or empty tokens. */
export const isSubject = (subject: string): boolean => subject.length <= MAX_SUBJECT_LENGTH && SUBJECT.test(subject);

export const isHeader = (name: string, value: string): boolean => HEADER_NAME.test(name) && !UNSAFE_TEXT.test(value);

/** @throws BrokerRefused */
export function requireAddress({ id, subject }: { readonly id: string; readonly subject: string }): void {
  // NATS trims header values. The id is sent as a header value, so it must not begin or end with white space.
  if (id === '' || id.length > MAX_ID_LENGTH || UNSAFE_TEXT.test(id) || id.trim() !== id) {
    throw new BrokerRefused(
      'INVALID_ID',
      `A message id must have 1 to ${MAX_ID_LENGTH} characters, without control characters or outer white space.`,
    );
  }
  if (!isSubject(subject)) {
    throw new BrokerRefused('INVALID_SUBJECT', `The subject is invalid: ${JSON.stringify(subject.slice(0, 80))}`);
  }
}

export const refusedHeader = (name: string): BrokerRefused =>
  new BrokerRefused('INVALID_HEADER', `The header name is invalid: ${JSON.stringify(name.slice(0, 80))}`);

/** @throws BrokerRefused if `bytes` exceeds the limit */
export function requireSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new BrokerRefused(
    'PAYLOAD_TOO_LARGE',
    `The message is ${bytes} bytes, which exceeds the limit of ${maxBytes} bytes.`,
  );
}

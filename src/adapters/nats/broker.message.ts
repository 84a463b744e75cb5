import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import type { JsMsg } from '@nats-io/jetstream';
import { type BrokerMessage, BrokerRefused, type StoredMessage } from '../../ports/broker.js';
import { covers, isSubject } from './broker.subjects.js';

const MAX_ID_LENGTH = 512;
/** What a NATS server can be set to take at most. */
const MAX_PAYLOAD_BYTES = 67_108_864;
const ID_HEADER = 'Nats-Msg-Id';
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
/** The server acts on these, so a message cannot bring its own. */
const SERVER_HEADER = /^nats-/i;
const UNSAFE_TEXT = /\p{Cc}|\p{Cs}/u;

export type Encoded = {
  readonly id: string;
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  readonly payload: Buffer;
  /** Of the payload, its headers and names: what it weighs in a queue. */
  readonly bytes: number;
};

/** @throws BrokerRefused for what no NATS server with a stream of these subjects takes */
export function encode(message: BrokerMessage, subjects: readonly string[]): Encoded {
  const { id, subject } = message;
  // The driver trims values of headers, and this one must arrive as it is.
  if (id === '' || id.length > MAX_ID_LENGTH || UNSAFE_TEXT.test(id) || id.trim() !== id) {
    throw new BrokerRefused(
      'INVALID_ID',
      `A message id is 1 to ${MAX_ID_LENGTH} characters without control characters or outer white space.`,
    );
  }
  if (!isSubject(subject)) {
    throw new BrokerRefused('INVALID_SUBJECT', `Not a subject: ${JSON.stringify(subject.slice(0, 80))}`);
  }
  if (!subjects.some((pattern) => covers(pattern, subject))) {
    throw new BrokerRefused('SUBJECT_NOT_TAKEN', `The stream does not take ${JSON.stringify(subject.slice(0, 80))}.`);
  }
  const headers = encodeHeaders(message.headers ?? {});
  const payload = Buffer.from(message.payload);
  requireSize(payload.length, MAX_PAYLOAD_BYTES);
  const named = Object.entries(message.headers ?? {}).reduce(
    (sum, [name, { length }]) => sum + name.length + length,
    0,
  );
  return { id, subject, headers, payload, bytes: payload.length + named + id.length + subject.length };
}

/** @throws BrokerRefused for more bytes than the server takes */
export function requireSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new BrokerRefused('PAYLOAD_TOO_LARGE', `A message of ${bytes} bytes is over the limit of ${maxBytes}.`);
}

function encodeHeaders(given: Readonly<Record<string, string>>): MsgHdrs | undefined {
  const entries = Object.entries(given);
  if (entries.length === 0) return undefined;
  const headers = emptyHeaders();
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name) || SERVER_HEADER.test(name) || UNSAFE_TEXT.test(value)) {
      throw new BrokerRefused('INVALID_HEADER', `Not a header: ${JSON.stringify(name.slice(0, 80))}`);
    }
    headers.set(name, value);
  }
  return headers;
}

export function decode(message: JsMsg): StoredMessage {
  const { headers } = message;
  const names = (headers?.keys() ?? []).filter((name) => !SERVER_HEADER.test(name));
  return {
    sequence: message.seq,
    // Empty for a message that somebody else published without one.
    id: headers?.get(ID_HEADER) ?? '',
    subject: message.subject,
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? ''])) }),
    payload: message.string(),
    storedAtMs: Math.floor(message.info.timestampNanos / 1_000_000),
  };
}

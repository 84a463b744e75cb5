import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import type { JsMsg } from '@nats-io/jetstream';
import { type BrokerMessage, BrokerRefused, type StoredMessage } from '../../ports/broker.js';
import { isHeader, refusedHeader, requireAddress, requireSize } from '../broker.input.js';
import { covers } from './broker.subjects.js';

/** What a NATS server can be set to take at most. */
const MAX_PAYLOAD_BYTES = 67_108_864;
const ID_HEADER = 'Nats-Msg-Id';
/** The server acts on these, so a message cannot bring its own. */
const SERVER_HEADER = /^nats-/i;

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
  requireAddress(message);
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

function encodeHeaders(given: Readonly<Record<string, string>>): MsgHdrs | undefined {
  const entries = Object.entries(given);
  if (entries.length === 0) return undefined;
  const headers = emptyHeaders();
  for (const [name, value] of entries) {
    if (!isHeader(name, value) || SERVER_HEADER.test(name)) throw refusedHeader(name);
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

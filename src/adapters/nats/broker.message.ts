import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { type BrokerMessage, BrokerRefused } from '../../ports/broker.js';
import { isHeader, refusedHeader, requireAddress, requireSize } from '../broker.input.js';
import { covers } from './broker.subjects.js';

/** Largest payload limit that can be configured on a NATS server. */
const MAX_PAYLOAD_BYTES = 67_108_864;
/** Pattern for the names of reserved headers. The server acts on these headers. */
const SERVER_HEADER = /^nats-/i;

export type Encoded = {
  readonly id: string;
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  readonly payload: Buffer;
  /** Weight of the message in the queue: the size of its payload, headers and names. */
  readonly bytes: number;
};

/** @throws BrokerRefused for a message that no NATS server with a stream for these subjects accepts */
export function encode(message: BrokerMessage, subjects: readonly string[]): Encoded {
  const { id, subject } = message;
  requireAddress(message);
  if (!subjects.some((pattern) => covers(pattern, subject))) {
    throw new BrokerRefused(
      'SUBJECT_NOT_TAKEN',
      `The stream does not accept the subject ${JSON.stringify(subject.slice(0, 80))}.`,
    );
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

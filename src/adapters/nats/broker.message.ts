import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { type BrokerMessage, BrokerRefused } from '../../ports/broker.js';
import { isHeader, refusedHeader, requireAddress, requireSize } from '../broker.input.js';

/** Subjects that the stream must take. */
export const SUBJECTS = ['kontor.>'];
/** Largest payload for which a NATS server can be configured. */
const MAX_PAYLOAD_BYTES = 67_108_864;
/** Reserved: the server acts on these headers. */
const SERVER_HEADER = /^nats-/i;

/** The message with headers of the driver's type. `bytes`: size of the payload. */
export type Encoded = Omit<BrokerMessage, 'headers'> & {
  readonly headers: MsgHdrs | undefined;
  readonly bytes: number;
};

/** @throws BrokerRefused for a message that no NATS server with a stream of SUBJECTS accepts */
export function encode({ id, subject, payload, headers = {} }: BrokerMessage): Encoded {
  requireAddress({ id, subject });
  if (!SUBJECTS.some((pattern) => covers(pattern, subject))) {
    throw new BrokerRefused('SUBJECT_NOT_TAKEN', `The stream does not take ${JSON.stringify(subject.slice(0, 80))}.`);
  }
  const bytes = Buffer.byteLength(payload);
  requireSize(bytes, MAX_PAYLOAD_BYTES);
  return { id, subject, payload, headers: encodeHeaders(headers), bytes };
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

/** Whether the wider pattern matches everything that the narrower pattern (or plain subject) matches, by NATS rules. */
export function covers(wider: string, narrower: string): boolean {
  const wide = wider.split('.');
  const narrow = narrower.split('.');
  for (const [index, token] of wide.entries()) {
    const other = narrow[index];
    if (other === undefined) return false;
    if (token === '>') return true;
    if (token !== other && (token !== '*' || other === '>')) return false;
  }
  return wide.length === narrow.length;
}

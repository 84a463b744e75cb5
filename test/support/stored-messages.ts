// Reads a broker's stored messages like a consumer, because the port only publishes.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { parseAddresses } from '../../src/adapters/nats/broker.address.js';
import type { BrokerMessage } from '../../src/ports/broker.js';

/** `storedAtMs` is Unix time. */
export type StoredMessage = BrokerMessage & { readonly sequence: number; readonly storedAtMs: number };

type Row = Omit<StoredMessage, 'headers' | 'payload'> & { readonly headers: string; readonly payload: Uint8Array };

/** Messages of the embedded broker in a directory, in order, after a sequence number. */
export function messagesIn(directory: string, after = 0): StoredMessage[] {
  const db = new DatabaseSync(join(directory, 'broker.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    const select = 'SELECT sequence, id, subject, stored_at_ms AS storedAtMs, headers, payload FROM messages';
    const rows = db.prepare(`${select} WHERE sequence > ? ORDER BY sequence`).all(after) as Row[];
    return rows.map(({ headers, payload, ...row }) => ({
      ...row,
      ...(headers !== '{}' && { headers: JSON.parse(headers) as Record<string, string> }),
      payload: Buffer.from(payload).toString(),
    }));
  } finally {
    db.close();
  }
}

/** All messages of a JetStream stream, in order. */
export async function messagesAt(url: string, stream = 'KONTOR'): Promise<StoredMessage[]> {
  const [address] = parseAddresses(url);
  const servers = `${address?.host ?? ''}:${address?.port ?? 0}`;
  const connection = await connect({ servers, ...address?.credentials, reconnect: false });
  try {
    const { state } = await (await jetstreamManager(connection)).streams.info(stream);
    const found: StoredMessage[] = [];
    if (state.messages === 0) return found;
    const consumer = await jetstream(connection).consumers.get(stream);
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 30_000 })) {
      found.push(decoded(message));
      if (message.seq >= state.last_seq) break;
    }
    return found;
  } finally {
    await connection.close();
  }
}

function decoded(message: JsMsg): StoredMessage {
  const { headers, seq: sequence, subject, info } = message;
  const names = (headers?.keys() ?? []).filter((name) => !name.startsWith('Nats-'));
  return {
    sequence,
    id: headers?.get('Nats-Msg-Id') ?? '',
    subject,
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? ''])) }),
    payload: message.string(),
    storedAtMs: Math.floor(info.timestampNanos / 1_000_000),
  };
}

// Reads a broker's stored messages as a consumer does, because the port offers only publishing.
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { COLUMNS, type EventRow, toRecordedEvent } from '../../src/adapters/embedded/event-store.record.js';
import { historyFile } from '../../src/adapters/embedded/event-store.schema.js';
import { parseAddresses } from '../../src/adapters/nats/broker.address.js';
import { catalogue } from '../../src/app/catalogue.js';
import { messagesOf } from '../../src/integration/event-messages.js';
import { type BrokerMessage, plainMessage } from '../../src/ports/broker.js';

/** `storedAtMs` is in Unix time. */
export type StoredMessage = BrokerMessage & { readonly sequence: number; readonly storedAtMs: number };

/**
 * Whether a dead-letter replay published the message. Messages that the forwarder repeats have ids with `~retry`
 * instead.
 */
export const isReplay = ({ id }: StoredMessage): boolean => /~[\da-f-]+\.\d+$/.test(id);

type Row = Omit<StoredMessage, 'headers' | 'payload'> & { readonly headers: string; readonly payload: Uint8Array };

/** An event with published messages. `sequence` is the sequence number of the last message. */
type Reference = {
  readonly sequence: number;
  readonly position: number;
  readonly messages: number;
  readonly eventId: string;
};

/**
 * Returns the embedded broker's messages in a directory, in order, starting after a sequence number. The broker stores
 * some messages itself. For all others, it stores a reference to their event, from which this function derives them.
 */
export function messagesIn(directory: string, after = 0): StoredMessage[] {
  const { rows, references } = reading(join(directory, 'broker.sqlite'), (db) => {
    const select = 'SELECT sequence, id, subject, stored_at_ms AS storedAtMs, headers, payload FROM messages';
    return {
      rows: db.prepare(`${select} WHERE sequence > ?`).all(after) as Row[],
      references: db
        .prepare('SELECT sequence, position, messages, event_id AS eventId FROM published WHERE sequence > ?')
        .all(after) as Reference[],
    };
  });
  const stored = rows.map(({ headers, payload, ...row }) => ({
    ...row,
    ...(headers !== '{}' && { headers: JSON.parse(headers) as Record<string, string> }),
    payload: Buffer.from(payload).toString(),
  }));
  const all = [...stored, ...derived(directory, references)].filter(({ sequence }) => sequence > after);
  return all.sort((a, b) => a.sequence - b.sequence);
}

/** Returns the sequence number of the embedded broker's newest message, or 0 if there are no messages. */
export const lastSequenceIn = (directory: string): number =>
  reading(join(directory, 'broker.sqlite'), (db) => {
    const lastOf = (table: string): number =>
      (db.prepare(`SELECT max(sequence) AS last FROM ${table}`).get() as { last: number | null }).last ?? 0;
    return Math.max(lastOf('messages'), lastOf('published'));
  });

function derived(directory: string, references: readonly Reference[]): StoredMessage[] {
  if (references.length === 0) return [];
  return reading(historyFile(directory), (db) => {
    const event = db.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    event.setReturnArrays(true);
    return references.flatMap(({ sequence, position, messages, eventId }) => {
      const row = event.get(position) as EventRow | undefined;
      const recorded = row && toRecordedEvent(row);
      // Another history, which does not contain the event, has replaced the original one.
      if (recorded?.id !== eventId) return [];
      const { recordedAtMs: storedAtMs } = recorded;
      const made = messagesOf(catalogue.decode(recorded));
      if (made.length !== messages) throw new Error(`${recorded.type} had ${messages} messages, not ${made.length}.`);
      return made.map((message, at) => ({
        ...plainMessage(message),
        sequence: sequence - messages + 1 + at,
        storedAtMs,
      }));
    });
  });
}

function reading<T>(file: string, read: (db: DatabaseSyncInstance) => T): T {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Returns all messages in a JetStream stream, in order. */
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

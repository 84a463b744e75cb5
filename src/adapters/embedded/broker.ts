import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import {
  type Broker,
  type BrokerMessage,
  BrokerUnavailable,
  type Published,
  type StoredMessage,
} from '../../ports/broker.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Clock } from '../../ports/time.js';
import { isHeader, refusedHeader, requireAddress, requireRange, requireSize } from '../broker.input.js';
import { openLog } from './broker.log.js';

/** Payload and headers together, in bytes of UTF-8: what a NATS server takes by default. */
export const MAX_MESSAGE_BYTES = 1_048_576;
/** A group is one transaction on the request thread, so it is kept to a few milliseconds. */
const MAX_GROUP_MESSAGES = 1_000;
const MAX_GROUP_BYTES = 4_194_304;
/** More than a group brings, so that a log that has grown too long gets shorter, in steps of a few milliseconds. */
const MAX_DROPPED = 2 * MAX_GROUP_MESSAGES;
/** What may wait while the disk is slow; beyond it publishers are told to come back. */
const MAX_QUEUED_BYTES = 67_108_864;
const MAX_QUEUED_MESSAGES = 100_000;
/** Rows that browse looks at before it lets other work run. */
const BROWSE_STRETCH = 2_000;

export type EmbeddedBrokerOptions = {
  /** Made when it is not there; the log is `broker.sqlite` in it. */
  readonly directory: string;
  readonly clock: Clock;
  /** The newest; older ones go, so that this copy cannot fill the disk of the record. */
  readonly keptMessages: number;
};

type Encoded = {
  readonly message: BrokerMessage;
  readonly headers: string;
  readonly payload: Buffer;
  readonly bytes: number;
};
/** Messages that are stored together, in their order. */
type Waiting = {
  readonly messages: readonly Encoded[];
  readonly bytes: number;
  readonly resolve: (published: Published[]) => void;
  readonly reject: (error: BrokerUnavailable) => void;
};
type Row = { sequence: number; id: string; subject: string; storedAtMs: number; headers: string; payload: Uint8Array };

/**
 * A durable log of messages in one SQLite file: acknowledged means flushed to disk. Like JetStream it drops a message
 * whose id it has; unlike it, it has the ids of the newest messages, however old they are. Concurrent publishes share a
 * transaction and its flush.
 */
export class EmbeddedBroker implements Broker {
  private readonly insert: StatementSyncInstance;
  private readonly sequenceOf: StatementSyncInstance;
  private readonly stretch: StatementSyncInstance;
  private readonly last: StatementSyncInstance;
  private readonly dropOldest: StatementSyncInstance;
  private queue: Waiting[] = [];
  private queuedMessages = 0;
  private queuedBytes = 0;
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly clock: Clock,
    private readonly keptMessages: number,
  ) {
    this.insert = db.prepare(
      'INSERT INTO messages (id, subject, stored_at_ms, headers, payload) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    );
    this.sequenceOf = db.prepare('SELECT sequence FROM messages WHERE id = ?');
    this.stretch = db.prepare(
      `SELECT sequence, id, subject, stored_at_ms AS storedAtMs, headers, payload FROM messages
       WHERE sequence > ?1 AND sequence <= ?2 AND substr(subject, 1, length(?3)) = ?3 ORDER BY sequence LIMIT ?4`,
    );
    this.last = db.prepare('SELECT max(sequence) AS sequence FROM messages');
    this.dropOldest = db.prepare(
      `DELETE FROM messages WHERE sequence IN (SELECT sequence FROM messages
         WHERE sequence <= (SELECT max(sequence) FROM messages) - ?1 ORDER BY sequence LIMIT ${MAX_DROPPED})`,
    );
  }

  /** @throws BrokerUnavailable when the file cannot be opened, is no database or was written by a newer version */
  static async open({ directory, clock, keptMessages }: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
    try {
      return new EmbeddedBroker(await openLog(directory), clock, keptMessages);
    } catch (cause) {
      throw unavailable('open its log', cause);
    }
  }

  async publish(message: BrokerMessage): Promise<Published> {
    const [published] = await this.enqueue([encode(message)]);
    return published as Published;
  }

  async publishInOrder(messages: readonly BrokerMessage[]): Promise<Published[]> {
    const encoded: Encoded[] = [];
    let refused: Error | undefined;
    for (const message of messages) {
      try {
        encoded.push(encode(message));
      } catch (error) {
        // Those before it are still to be stored.
        refused = error as Error;
        break;
      }
    }
    const published = encoded.length > 0 ? await this.enqueue(encoded) : [];
    if (refused) throw refused;
    return published;
  }

  private enqueue(messages: readonly Encoded[]): Promise<Published[]> {
    return new Promise((resolve, reject) => {
      const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
      if (this.closing) throw new BrokerUnavailable('The broker is closed.');
      if (this.queuedBytes + bytes > MAX_QUEUED_BYTES || this.queuedMessages >= MAX_QUEUED_MESSAGES) {
        throw new BrokerUnavailable('Too many messages wait.');
      }
      this.queue.push({ messages, bytes, resolve, reject });
      this.queuedMessages += messages.length;
      this.queuedBytes += bytes;
      this.draining ??= this.drain();
    });
  }

  async browse(range: { after: number; limit: number; subjectPrefix?: string }): Promise<StoredMessage[]> {
    const { after, limit, subjectPrefix = '' } = range;
    requireRange(range);
    // The binding cuts texts at a NUL, which would widen the prefix; no stored subject holds one.
    if (subjectPrefix.includes('\0')) return [];
    const found: StoredMessage[] = [];
    let low = Math.max(after, 0);
    const high = this.read(() => this.last.get() as { sequence: number | null }).sequence ?? 0;
    while (low < high && found.length < limit) {
      const end = Math.min(low + BROWSE_STRETCH, high);
      const from = low;
      const rows = this.read(() => this.stretch.all(from, end, subjectPrefix, limit - found.length) as Row[]);
      found.push(...rows.map(toMessage));
      low = end;
      await nextTurn();
    }
    return found;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port promises; a failure must reject, not throw
  async facts(): Promise<EngineFacts> {
    const tell = () => this.db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    const { version } = this.read(tell);
    return { engine: 'sqlite', version };
  }

  close(): Promise<void> {
    this.closing ??= (this.draining ?? Promise.resolve()).then(() => {
      this.db.close();
    });
    return this.closing;
  }

  /** Writes group after group; each waits a turn, so that all publishes of one turn (and of the last acks) share it. */
  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      await nextTurn();
      const group = this.nextGroup();
      try {
        const published = this.store(group);
        group.forEach((entry, index) => {
          entry.resolve(published[index] as Published[]);
        });
      } catch (cause) {
        const error = unavailable('store messages', cause);
        for (const entry of group) entry.reject(error);
      }
    }
    this.draining = undefined;
  }

  private nextGroup(): Waiting[] {
    let entries = 0;
    let count = 0;
    let bytes = 0;
    for (const entry of this.queue) {
      const isFull = count + entry.messages.length > MAX_GROUP_MESSAGES || bytes + entry.bytes > MAX_GROUP_BYTES;
      if (entries > 0 && isFull) break;
      entries += 1;
      count += entry.messages.length;
      bytes += entry.bytes;
    }
    this.queuedMessages -= count;
    this.queuedBytes -= bytes;
    return this.queue.splice(0, entries);
  }

  /** All of the group or none: returns only after COMMIT, which flushes the write-ahead log. */
  private store(group: readonly Waiting[]): Published[][] {
    const nowMs = Math.trunc(this.clock.nowMs());
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const published = group.map(({ messages }) => messages.map((message) => this.write(message, nowMs)));
      this.dropOldest.run(this.keptMessages);
      this.db.exec('COMMIT');
      return published;
    } catch (error) {
      // SQLite has already rolled back after some failures (a full disk is one).
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  private write({ message: { id, subject }, headers, payload }: Encoded, nowMs: number): Published {
    const { changes, lastInsertRowid } = this.insert.run(id, subject, nowMs, headers, payload);
    if (changes === 1) return { sequence: Number(lastInsertRowid), duplicate: false };
    return { ...(this.sequenceOf.get(id) as { sequence: number }), duplicate: true };
  }

  private read<T>(query: () => T): T {
    if (this.closing) throw new BrokerUnavailable('The broker is closed.');
    try {
      return query();
    } catch (cause) {
      throw unavailable('read messages', cause);
    }
  }
}

function encode(message: BrokerMessage): Encoded {
  const { headers = {} } = message;
  requireAddress(message);
  for (const [name, value] of Object.entries(headers)) if (!isHeader(name, value)) throw refusedHeader(name);
  const payload = Buffer.from(message.payload);
  const headerText = JSON.stringify(headers);
  const bytes = payload.length + (headerText === '{}' ? 0 : Buffer.byteLength(headerText));
  requireSize(bytes, MAX_MESSAGE_BYTES);
  return { message, headers: headerText, payload, bytes };
}

function toMessage({ sequence, id, subject, storedAtMs, headers, payload }: Row): StoredMessage {
  const parsed = JSON.parse(headers) as Record<string, string>;
  return {
    sequence,
    id,
    subject,
    ...(headers === '{}' ? {} : { headers: parsed }),
    payload: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString(),
    storedAtMs,
  };
}

const unavailable = (what: string, cause: unknown): BrokerUnavailable =>
  new BrokerUnavailable(`The broker cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);

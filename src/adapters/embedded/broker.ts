import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { type Broker, type BrokerMessage, BrokerUnavailable, type Published } from '../../ports/broker.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Clock } from '../../ports/time.js';
import { isHeader, refusedHeader, requireAddress, requireSize } from '../broker.input.js';
import { convertLeading } from '../leading.js';
import { openLog } from './broker.log.js';

/** Limit for payload and headers together, in UTF-8 bytes: the default limit of a NATS server. */
export const MAX_MESSAGE_BYTES = 1_048_576;
/** A group is one transaction on the request thread; these limits keep it to a few milliseconds. */
const MAX_GROUP_MESSAGES = 1_000;
const MAX_GROUP_BYTES = 4_194_304;
/** More than a group adds, so that an oversized log shrinks in steps of a few milliseconds. */
const MAX_DROPPED = 2 * MAX_GROUP_MESSAGES;
/** Queue limits while the disk is slow; beyond them a publish fails as unavailable. */
const MAX_QUEUED_BYTES = 67_108_864;
const MAX_QUEUED_MESSAGES = 100_000;

export type EmbeddedBrokerOptions = {
  /** Created if missing; contains `broker.sqlite`. */
  readonly directory: string;
  readonly clock: Clock;
  /** Maximum stored messages. Older ones are removed, so that this copy cannot fill the disk that holds the history. */
  readonly keptMessages: number;
};

type Encoded = {
  readonly message: BrokerMessage;
  readonly headers: string;
  readonly payload: Buffer;
  readonly bytes: number;
};
/** Messages stored together, in order. */
type Waiting = {
  readonly messages: readonly Encoded[];
  readonly bytes: number;
  readonly resolve: (published: Published[]) => void;
  readonly reject: (error: BrokerUnavailable) => void;
};

/**
 * A durable message log in one SQLite file: acknowledged means flushed to disk. Like JetStream it drops duplicates;
 * unlike JetStream it remembers the ids of all stored messages, however old. Concurrent publishes share a transaction
 * and its flush.
 */
export class EmbeddedBroker implements Broker {
  private readonly insert: StatementSyncInstance;
  private readonly sequenceOf: StatementSyncInstance;
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
    this.dropOldest = db.prepare(
      `DELETE FROM messages WHERE sequence IN (SELECT sequence FROM messages
         WHERE sequence <= (SELECT max(sequence) FROM messages) - ?1 ORDER BY sequence LIMIT ${MAX_DROPPED})`,
    );
  }

  /** @throws BrokerUnavailable if the file cannot be opened, is not a database, or was written by a newer version */
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
    const { converted, refusal } = convertLeading(messages, encode);
    const published = converted.length > 0 ? await this.enqueue(converted) : [];
    if (refusal) throw refusal;
    return published;
  }

  private enqueue(messages: readonly Encoded[]): Promise<Published[]> {
    return new Promise((resolve, reject) => {
      const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
      if (this.closing) throw new BrokerUnavailable('The broker is closed.');
      if (this.queuedBytes + bytes > MAX_QUEUED_BYTES || this.queuedMessages >= MAX_QUEUED_MESSAGES) {
        throw new BrokerUnavailable("The broker's queue is full.");
      }
      this.queue.push({ messages, bytes, resolve, reject });
      this.queuedMessages += messages.length;
      this.queuedBytes += bytes;
      this.draining ??= this.drain();
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port promises; a failure must reject, not throw
  async facts(): Promise<EngineFacts> {
    if (this.closing) throw new BrokerUnavailable('The broker is closed.');
    const { version } = this.db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return { engine: 'sqlite', version };
  }

  close(): Promise<void> {
    this.closing ??= (this.draining ?? Promise.resolve()).then(() => {
      this.db.close();
    });
    return this.closing;
  }

  /** Writes group after group. Yields to the event loop before each, so that all publishes of that turn share it. */
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

  /** Stores the whole group or nothing. Returns only after COMMIT, which flushes the write-ahead log. */
  private store(group: readonly Waiting[]): Published[][] {
    const nowMs = Math.trunc(this.clock.nowMs());
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const published = group.map(({ messages }) => messages.map((message) => this.write(message, nowMs)));
      this.dropOldest.run(this.keptMessages);
      this.db.exec('COMMIT');
      return published;
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  private write({ message: { id, subject }, headers, payload }: Encoded, nowMs: number): Published {
    const { changes, lastInsertRowid } = this.insert.run(id, subject, nowMs, headers, payload);
    if (changes === 1) return { sequence: Number(lastInsertRowid), duplicate: false };
    return { ...(this.sequenceOf.get(id) as { sequence: number }), duplicate: true };
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

const unavailable = (what: string, cause: unknown): BrokerUnavailable =>
  new BrokerUnavailable(`The broker cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Broker,
  type BrokerMessage,
  BrokerUnavailable,
  type MessageSource,
  type Published,
} from '../../ports/broker.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Clock } from '../../ports/time.js';
import { isHeader, refusedHeader, requireAddress, requireSize } from '../broker.input.js';
import { convertLeading } from '../leading.js';
import { BrokerLog, type StorableMessage } from './broker.log.js';

/** Maximum combined size of payload and headers, in UTF-8 bytes. This is the default NATS server limit. */
export const MAX_MESSAGE_BYTES = 1_048_576;
/**
 * Limits on a group of queued messages. A group is stored in one transaction, which blocks its thread for at most a few
 * milliseconds.
 */
const MAX_GROUP_MESSAGES = 1_000;
const MAX_GROUP_BYTES = 4_194_304;
/**
 * Limits on the queue, which fills up if the disk is slow. Beyond these limits, publishing fails with
 * BrokerUnavailable.
 */
const MAX_QUEUED_BYTES = 67_108_864;
const MAX_QUEUED_MESSAGES = 100_000;

export type EmbeddedBrokerOptions = {
  /** Directory for `broker.sqlite`, created if necessary. */
  readonly directory: string;
  readonly clock: Clock;
  /**
   * Maximum number of stored messages. Older messages are removed, so that they cannot fill the disk, which also holds
   * the history.
   */
  readonly keptMessages: number;
  /** Called when a damaged file has been moved aside. */
  readonly onDamaged?: () => void;
};

/** Messages to be stored together, in order. */
type Waiting = {
  readonly count: number;
  readonly bytes: number;
  /** Stores the messages within the group's transaction. */
  readonly write: () => Published[];
  readonly resolve: (published: Published[]) => void;
  readonly reject: (error: BrokerUnavailable) => void;
};

/**
 * A durable message log in one SQLite file. Acknowledged messages have been flushed to disk. For a message with a
 * source, the log stores only the source, because the history contains the event. Like JetStream, the log drops
 * duplicates. Unlike JetStream, it recognizes duplicates of all stored messages, regardless of their age. Concurrent
 * publish calls share a transaction and its flush.
 */
export class EmbeddedBroker implements Broker {
  private queue: Waiting[] = [];
  private queuedMessages = 0;
  private queuedBytes = 0;
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly log: BrokerLog,
    private readonly clock: Clock,
  ) {}

  /** @throws BrokerUnavailable if the file cannot be opened, or was written by a newer version */
  static async open(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
    const { directory, clock, keptMessages, onDamaged = () => undefined } = options;
    try {
      return new EmbeddedBroker(await BrokerLog.open(directory, keptMessages, onDamaged), clock);
    } catch (cause) {
      throw unavailable('open its log', cause);
    }
  }

  async publish(message: BrokerMessage): Promise<Published> {
    const [published] = await this.enqueue([encode(message)]);
    return published as Published;
  }

  publishInOrder(messages: readonly BrokerMessage[], source?: MessageSource): Promise<Published[]> {
    if (messages.length === 0) return Promise.resolve([]);
    if (source) return this.enter(messages.length, 0, () => this.writeEvent(messages, source));
    return this.publishEach(messages);
  }

  private async publishEach(messages: readonly BrokerMessage[]): Promise<Published[]> {
    const { converted, refusal } = convertLeading(messages, encode);
    const published = converted.length > 0 ? await this.enqueue(converted) : [];
    if (refusal) throw refusal;
    return published;
  }

  private enqueue(messages: readonly Encoded[]): Promise<Published[]> {
    const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
    return this.enter(messages.length, bytes, () => this.writeMessages(messages));
  }

  private enter(count: number, bytes: number, write: () => Published[]): Promise<Published[]> {
    return new Promise((resolve, reject) => {
      if (this.closing) throw new BrokerUnavailable('The broker is closed.');
      if (this.queuedBytes + bytes > MAX_QUEUED_BYTES || this.queuedMessages >= MAX_QUEUED_MESSAGES) {
        throw new BrokerUnavailable("The broker's queue is full.");
      }
      this.queue.push({ count, bytes, write, resolve, reject });
      this.queuedMessages += count;
      this.queuedBytes += bytes;
      this.draining ??= this.drain();
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port returns a promise; a failure must reject it, not throw
  async facts(): Promise<EngineFacts> {
    if (this.closing) throw new BrokerUnavailable('The broker is closed.');
    return { engine: 'sqlite', version: this.log.version() };
  }

  close(): Promise<void> {
    this.closing ??= (this.draining ?? Promise.resolve()).then(() => {
      this.log.close();
    });
    return this.closing;
  }

  /**
   * Writes the groups one after another. Yields to the event loop before each group, so that all messages published in
   * the same turn share a group.
   */
  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      await nextTurn();
      const group = this.nextGroup();
      try {
        const published = this.log.transaction(() => group.map(({ write }) => write()));
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
      const isFull = count + entry.count > MAX_GROUP_MESSAGES || bytes + entry.bytes > MAX_GROUP_BYTES;
      if (entries > 0 && isFull) break;
      entries += 1;
      count += entry.count;
      bytes += entry.bytes;
    }
    this.queuedMessages -= count;
    this.queuedBytes -= bytes;
    return this.queue.splice(0, entries);
  }

  private writeMessages(messages: readonly StorableMessage[]): Published[] {
    const nowMs = Math.trunc(this.clock.nowMs());
    return messages.map((message) => this.log.add(message, nowMs));
  }

  /** Stores a reference to an event, or the event's messages if an earlier release stored any of them. */
  private writeEvent(messages: readonly BrokerMessage[], source: MessageSource): Published[] {
    // Message ids are read only if necessary, because each of them is computed as a hash.
    const isStored = this.log.hasMessages && messages.some(({ id }) => this.log.find(id) !== undefined);
    return isStored ? this.writeMessages(messages.map(encode)) : this.log.addEvent(source, messages.length);
  }
}

type Encoded = StorableMessage & { readonly bytes: number };

function encode(message: BrokerMessage): Encoded {
  const { id, subject, headers = {} } = message;
  requireAddress(message);
  for (const [name, value] of Object.entries(headers)) if (!isHeader(name, value)) throw refusedHeader(name);
  const payload = Buffer.from(message.payload);
  const headerText = JSON.stringify(headers);
  const bytes = payload.length + (headerText === '{}' ? 0 : Buffer.byteLength(headerText));
  requireSize(bytes, MAX_MESSAGE_BYTES);
  return { id, subject, headers: headerText, payload, bytes };
}

const unavailable = (what: string, cause: unknown): BrokerUnavailable =>
  new BrokerUnavailable(`The broker cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);

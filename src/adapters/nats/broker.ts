import {
  type Broker,
  type BrokerMessage,
  BrokerUnavailable,
  type Published,
  type StoredMessage,
} from '../../ports/broker.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { requireRange, requireSize } from '../broker.input.js';
import { parseAddresses } from './broker.address.js';
import { NatsLink, type Session } from './broker.connection.js';
import { toPublishError, toUnavailable } from './broker.errors.js';
import { encode, type Encoded } from './broker.message.js';
import { readStream } from './broker.reader.js';

const STREAM = 'KONTOR';
const SUBJECTS = ['kontor.>'];
const DUPLICATE_WINDOW_MS = 120_000;
/** What may be on its way to the server, and what may wait for that; beyond it publishers are told to come back. */
const MAX_IN_FLIGHT = 1_024;
const MAX_IN_FLIGHT_BYTES = 8_388_608;
const MAX_QUEUED_MESSAGES = 20_000;
const MAX_QUEUED_BYTES = 67_108_864;
const MAX_BROWSE_MS = 30_000;

export type NatsBrokerOptions = {
  /** `nats://` or `tls://` addresses of one cluster, separated by commas, with `user:password@` or `token@` if need be. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default `KONTOR`. Made when it is not there; never changed. */
  readonly stream?: string;
  /** How long the stream remembers ids. Default 120,000. */
  readonly duplicateWindowMs?: number;
  /** Default 5,000. A publish is answered within twice this time, whatever the server does. */
  readonly ackTimeoutMs?: number;
  /** How often an idle connection is tried. Default 2,000. */
  readonly heartbeatMs?: number;
};

type Waiting = {
  readonly encoded: Encoded;
  readonly dueMs: number;
  readonly resolve: (published: Published) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Messages in a stream of NATS JetStream. Acknowledged means stored by the stream's leader and its replicas (a stream
 * that is made here has none), not flushed to disk. An id is remembered for the stream's duplicate window only. While NATS is away every call fails at
 * once, nothing waits for its return. Messages reach the stream in the order of the calls; where one of them fails,
 * those after it may be stored all the same. Outer white space of header values is not kept.
 */
export class NatsBroker implements Broker {
  private readonly link: NatsLink;
  private readonly queue: Waiting[] = [];
  private queuedBytes = 0;
  private inFlight = 0;
  private inFlightBytes = 0;
  private idle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  private constructor(private readonly options: Required<NatsBrokerOptions>) {
    const { url, clock, logger, stream: name, duplicateWindowMs } = options;
    this.link = new NatsLink({
      addresses: parseAddresses(url),
      stream: { name, subjects: SUBJECTS, duplicateWindowMs },
      ...{ clock, logger, timeoutMs: options.ackTimeoutMs, heartbeatMs: options.heartbeatMs },
    });
  }

  /** Connects in the background, for ever. @throws Error for a URL that is none */
  static open(options: NatsBrokerOptions): NatsBroker {
    return new NatsBroker({
      stream: STREAM,
      duplicateWindowMs: DUPLICATE_WINDOW_MS,
      ackTimeoutMs: 5_000,
      heartbeatMs: 2_000,
      ...options,
    });
  }

  /** Whether there is a connection, with a stream that can be published to. */
  get isReady(): boolean {
    return this.closing === undefined && this.link.session !== undefined;
  }

  publish(message: BrokerMessage): Promise<Published> {
    return new Promise((resolve, reject) => {
      const encoded = encode(message, SUBJECTS);
      const { connection } = this.requireSession();
      requireSize(encoded.payload.length, connection.info?.max_payload ?? Number.POSITIVE_INFINITY);
      const isFull = this.queuedBytes + encoded.bytes > MAX_QUEUED_BYTES || this.queue.length >= MAX_QUEUED_MESSAGES;
      if (isFull && this.queue.length > 0) throw new BrokerUnavailable('Too many messages wait for NATS.');
      const dueMs = this.options.clock.monotonicMs() + this.options.ackTimeoutMs;
      this.queue.push({ encoded, dueMs, resolve, reject });
      this.queuedBytes += encoded.bytes;
      this.pump();
    });
  }

  async publishInOrder(messages: readonly BrokerMessage[]): Promise<Published[]> {
    const published: Published[] = [];
    for (const message of messages) published.push(await this.publish(message));
    return published;
  }

  async browse(range: { after: number; limit: number; subjectPrefix?: string }): Promise<StoredMessage[]> {
    const { after, limit, subjectPrefix = '' } = range;
    requireRange(range);
    const session = this.requireSession();
    if (limit === 0) return [];
    const { stream, clock } = this.options;
    try {
      return await readStream(
        session,
        { stream, subjects: SUBJECTS, clock },
        { after, limit, subjectPrefix },
        MAX_BROWSE_MS,
      );
    } catch (error) {
      this.link.doubtStream();
      throw toUnavailable('read messages', error);
    }
  }

  async facts(): Promise<EngineFacts> {
    const { connection } = this.requireSession();
    const { clock, ackTimeoutMs } = this.options;
    const done = new AbortController();
    // The driver's answer to a flush never comes where the connection ends meanwhile.
    const late = clock.sleep(ackTimeoutMs, done.signal).then(() => {
      throw new Error(`no answer within ${ackTimeoutMs} ms`);
    });
    try {
      await Promise.race([connection.flush(), late]);
    } catch (error) {
      throw toUnavailable('be asked who it is', error);
    } finally {
      done.abort();
    }
    return { engine: 'nats', version: connection.info?.version ?? null };
  }

  /** Waits for what is under way, no longer than its time-out. */
  close(): Promise<void> {
    this.closing ??= this.settled().then(() => this.link.close());
    return this.closing;
  }

  private requireSession(): Session {
    if (this.closing) throw new BrokerUnavailable('The broker is closed.');
    const { session } = this.link;
    if (!session) throw new BrokerUnavailable(`NATS is away: ${this.link.reason}`);
    return session;
  }

  /**
   * Sends what may be sent, in its order; what cannot be any more is given back. Something waits only while something is
   * in flight, whose end (a lost connection ends it, too) comes here again.
   */
  private pump(): void {
    while (this.queue.length > 0) {
      const { session } = this.link;
      const next = this.queue[0] as Waiting;
      const isLate = this.options.clock.monotonicMs() > next.dueMs;
      if (session && !isLate && !this.hasRoomFor(next.encoded.bytes)) break;
      this.queue.shift();
      this.queuedBytes -= next.encoded.bytes;
      if (!session) next.reject(new BrokerUnavailable(`NATS is away: ${this.link.reason}`));
      else if (isLate) next.reject(new BrokerUnavailable('NATS is too slow: the message waited too long.'));
      else void this.send(session, next);
    }
    if (this.queue.length === 0 && this.inFlight === 0) this.idle?.();
  }

  private hasRoomFor(bytes: number): boolean {
    if (this.inFlight === 0) return true;
    return this.inFlight < MAX_IN_FLIGHT && this.inFlightBytes + bytes <= MAX_IN_FLIGHT_BYTES;
  }

  private async send({ acks }: Session, { encoded, resolve, reject }: Waiting): Promise<void> {
    const { subject, bytes } = encoded;
    this.inFlight += 1;
    this.inFlightBytes += bytes;
    try {
      const ack = await acks.publish(encoded);
      resolve({ sequence: ack.seq, duplicate: ack.duplicate });
    } catch (thrown) {
      const error = toPublishError(thrown, subject);
      if (error instanceof BrokerUnavailable) this.link.doubtStream();
      reject(error);
    }
    this.inFlight -= 1;
    this.inFlightBytes -= bytes;
    this.pump();
  }

  private settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle = resolve;
      this.pump();
    });
  }
}

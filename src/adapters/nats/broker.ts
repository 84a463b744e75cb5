import { type Broker, type BrokerMessage, BrokerUnavailable, type Published } from '../../ports/broker.js';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { requireSize } from '../broker.input.js';
import { withTimeout } from '../waiting.js';
import { parseAddresses } from './broker.address.js';
import { NatsLink, type Session } from './broker.connection.js';
import { toPublishError, toUnavailable } from './broker.errors.js';
import { encode, type Encoded } from './broker.message.js';
import type { NatsSecurity } from './broker.security.js';
import type { StreamLimits } from './broker.stream.js';

const STREAM = 'KONTOR';
const SUBJECTS = ['kontor.>'];
const DUPLICATE_WINDOW_MS = 120_000;
/** Size of the smallest cluster that survives the loss of one server. */
const CLUSTER_SERVERS = 3;
/**
 * Limits on messages in flight and on queued messages. Above these limits, publishing fails with an error that allows a
 * retry.
 */
const MAX_IN_FLIGHT = 1_024;
const MAX_IN_FLIGHT_BYTES = 8_388_608;
const MAX_QUEUED_MESSAGES = 20_000;
const MAX_QUEUED_BYTES = 67_108_864;

export type NatsBrokerOptions = {
  /** Comma-separated `nats://` or `tls://` addresses of one cluster. Each may contain `user:password@` or `token@`. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the stream, which is created if necessary but never changed. Default: `KONTOR`. */
  readonly stream?: string;
  /** Deduplication window of the stream in milliseconds. Default: 120,000. */
  readonly duplicateWindowMs?: number;
  /**
   * Timeout in milliseconds. A publish call settles within twice this timeout, regardless of the server's behavior.
   * Default: 5,000.
   */
  readonly ackTimeoutMs?: number;
  /** Heartbeat interval of an idle connection in milliseconds. Default: 2,000. */
  readonly heartbeatMs?: number;
  /** Security settings. Default: the settings in the URL. */
  readonly security?: NatsSecurity;
  /** Limits for a stream that this broker creates. */
  readonly limits?: StreamLimits;
};

type Waiting = {
  readonly encoded: Encoded;
  readonly dueMs: number;
  readonly resolve: (published: Published) => void;
  readonly reject: (error: Error) => void;
};

/**
 * A broker backed by a NATS JetStream stream. An acknowledged message has been stored by a majority of the stream's
 * replicas, but not necessarily flushed to disk. Ids are remembered only for the stream's duplicate window. While NATS
 * is unavailable, every call fails immediately and nothing is queued. Messages reach the stream in call order. If one
 * fails, later ones may still be stored. Leading and trailing white space in header values is lost.
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
    const { url, clock, logger, stream: name, duplicateWindowMs, security, limits } = options;
    const addresses = parseAddresses(url);
    const usualReplicas = addresses.length >= CLUSTER_SERVERS ? CLUSTER_SERVERS : 1;
    this.link = new NatsLink({
      ...{ addresses, security },
      stream: { name, subjects: SUBJECTS, duplicateWindowMs, usualReplicas, ...limits },
      ...{ clock, logger, timeoutMs: options.ackTimeoutMs, heartbeatMs: options.heartbeatMs },
    });
  }

  /** Connects in the background and retries until closed. @throws Error for an invalid URL */
  static open(options: NatsBrokerOptions): NatsBroker {
    return new NatsBroker({
      stream: STREAM,
      duplicateWindowMs: DUPLICATE_WINDOW_MS,
      ackTimeoutMs: 5_000,
      heartbeatMs: 2_000,
      security: {},
      limits: {},
      ...options,
    });
  }

  /** Whether a connection with a usable stream exists. */
  get isReady(): boolean {
    return this.closing === undefined && this.link.session !== undefined;
  }

  publish(message: BrokerMessage): Promise<Published> {
    return new Promise((resolve, reject) => {
      const encoded = encode(message, SUBJECTS);
      const { connection } = this.requireSession();
      requireSize(encoded.payload.length, connection.info?.max_payload ?? Number.POSITIVE_INFINITY);
      const isFull = this.queuedBytes + encoded.bytes > MAX_QUEUED_BYTES || this.queue.length >= MAX_QUEUED_MESSAGES;
      if (isFull && this.queue.length > 0) throw notHandedOver('The publish queue for NATS is full.');
      const dueMs = this.options.clock.monotonicMs() + this.options.ackTimeoutMs;
      this.queue.push({ encoded, dueMs, resolve, reject });
      this.queuedBytes += encoded.bytes;
      this.pump();
    });
  }

  async publishInOrder(messages: readonly BrokerMessage[]): Promise<Published[]> {
    const { clock, ackTimeoutMs } = this.options;
    const published: Published[] = [];
    let beganMs = clock.monotonicMs();
    for (const message of messages) {
      try {
        // A call takes this long only if the process was suspended. Another process may have taken over in the
        // meantime.
        if (clock.monotonicMs() - beganMs > 2 * ackTimeoutMs) throw notHandedOver('This process was suspended.');
        beganMs = clock.monotonicMs();
        published.push(await this.publish(message));
      } catch (error) {
        // The preceding messages have been stored, so the error must not claim that nothing was stored.
        if (!(error instanceof BrokerUnavailable) || published.length === 0) throw error;
        throw new BrokerUnavailable(error.message, error.cause);
      }
    }
    return published;
  }

  async facts(): Promise<EngineFacts> {
    const { connection } = this.requireSession();
    const { clock, ackTimeoutMs } = this.options;
    try {
      // A flush never resolves if the connection ends first.
      await withTimeout(
        clock,
        ackTimeoutMs,
        connection.flush(),
        () => new Error(`no response within ${ackTimeoutMs} ms`),
      );
    } catch (error) {
      throw toUnavailable('report its version', error);
    }
    return { engine: 'nats', version: connection.info?.version ?? null };
  }

  fault(): EngineFault | undefined {
    return this.isReady ? undefined : this.link.fault;
  }

  /** Waits for messages in flight, at most until they time out. */
  close(): Promise<void> {
    this.closing ??= this.settled().then(() => this.link.close());
    return this.closing;
  }

  private requireSession(): Session {
    if (this.closing) throw notHandedOver('The broker is closed.');
    const { session } = this.link;
    if (!session) throw notHandedOver(`NATS is unavailable: ${this.link.fault.reason}`);
    return session;
  }

  /**
   * Sends queued messages in order. Rejects messages that are overdue and, without a connection, all messages. Messages
   * wait only while others are in flight. Whenever one of those settles, for example because the connection was lost,
   * this method runs again.
   */
  private pump(): void {
    while (this.queue.length > 0) {
      const { session } = this.link;
      const next = this.queue[0] as Waiting;
      const isLate = this.options.clock.monotonicMs() > next.dueMs;
      if (session && !isLate && !this.hasRoomFor(next.encoded.bytes)) break;
      this.queue.shift();
      this.queuedBytes -= next.encoded.bytes;
      if (!session) next.reject(notHandedOver(`NATS is unavailable: ${this.link.fault.reason}`));
      else if (isLate) next.reject(notHandedOver('NATS is too slow: the message expired in the queue.'));
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

const notHandedOver = (message: string): BrokerUnavailable => new BrokerUnavailable(message, undefined, false);

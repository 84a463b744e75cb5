import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { AckInbox } from './broker.acks.js';
import { nameOf, type NatsAddress } from './broker.address.js';
import { textOf } from './broker.errors.js';
import { ensureStream, type StreamWish, type UsableStream } from './broker.stream.js';

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 5_000;
/** Between two looks at a stream that somebody doubts. */
const RECHECK_MS = 500;
/** The driver's own heartbeats are off: it waits for a stuck socket to take its last bytes before it gives it up. */
const NEVER_MS = 2_147_483_647;

export type ConnectionOptions = {
  readonly addresses: readonly NatsAddress[];
  readonly stream: StreamWish;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For connecting to one server, for its answer to a heartbeat, and for requests about the stream. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
};
/** A connection whose stream can be published to. */
export type Session = {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly acks: AckInbox;
};

/**
 * Keeps one connection, for ever. The driver's own reconnecting is not used: it keeps requests of the old connection
 * waiting, and its first connecting cannot be given up.
 */
export class NatsLink {
  /** Why there is no session. */
  reason = 'not connected yet';
  private current: Session | undefined;
  private readonly closing = new AbortController();
  private doubt = new AbortController();
  private said = '';
  private wasAway = false;
  private readonly running: Promise<void>;

  constructor(private readonly options: ConnectionOptions) {
    this.running = this.run();
  }

  get session(): Session | undefined {
    return this.current?.connection.isClosed() === false ? this.current : undefined;
  }

  /** Something was wrong with the stream: it is looked at again, soon. */
  doubtStream(): void {
    this.doubt.abort();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.current?.connection.close();
    this.lose('closed');
    // What still connects gives up within its time-out; nobody has to wait for that.
    void this.running;
  }

  private async run(): Promise<void> {
    const { clock } = this.options;
    for (let failures = 0; !this.closing.signal.aborted; failures += 1) {
      try {
        const connection = await this.connectToAny();
        if (connection && (await this.serve(connection))) failures = 0;
      } catch (error) {
        this.say('error', textOf(error));
      }
      await clock.sleep(backoffMs(failures, FIRST_BACKOFF_MS, MAX_BACKOFF_MS), this.closing.signal);
    }
  }

  private async connectToAny(): Promise<NatsConnection | undefined> {
    const { addresses } = this.options;
    const first = Math.floor(Math.random() * addresses.length);
    for (let step = 0; step < addresses.length; step += 1) {
      const address = addresses[(first + step) % addresses.length] as NatsAddress;
      if (this.closing.signal.aborted) return undefined;
      try {
        return await this.connectTo(address);
      } catch (error) {
        this.wasAway = true;
        this.say('warn', `cannot connect to ${nameOf(address)}: ${textOf(error)}`);
      }
    }
    return undefined;
  }

  private async connectTo(address: NatsAddress): Promise<NatsConnection> {
    const { timeoutMs } = this.options;
    await this.requireAnswer(address);
    return connect({
      servers: nameOf(address),
      name: 'kontor',
      ...address.credentials,
      ...(address.tls && { tls: {} }),
      reconnect: false,
      timeout: timeoutMs,
      pingInterval: NEVER_MS,
      noAsyncTraces: true,
      // Another server of the cluster is of no use to a connection that ends with its server.
      ignoreClusterUpdates: true,
    });
  }

  /** A server speaks first. The driver would never close its socket to one that takes connections and says nothing. */
  private async requireAnswer({ host, port }: NatsAddress): Promise<void> {
    const { clock, timeoutMs } = this.options;
    const waiting = within(this.closing.signal);
    const socket = connectSocket({ host, port });
    const answered = once(socket, 'data', { signal: waiting.signal }).then(() => true);
    const late = clock.sleep(timeoutMs, waiting.signal).then(() => false);
    try {
      if (!(await Promise.race([answered, late]))) throw new Error('it does not answer');
    } finally {
      waiting.end();
      socket.destroy();
    }
  }

  /** Resolves when the connection has ended, with whether it was of any use. */
  private async serve(connection: NatsConnection): Promise<boolean> {
    const ended = within(this.closing.signal);
    ended.signal.addEventListener('abort', () => {
      this.doubt.abort();
    });
    const { clock, stream, timeoutMs } = this.options;
    const acks = new AckInbox(connection, { stream: stream.name, timeoutMs, clock });
    const closed = connection.closed().then(ended.end);
    const [wasOfUse] = await Promise.all([
      this.watchStream(connection, acks, ended.signal),
      this.watchConnection(connection, ended.signal),
    ]);
    await connection.close();
    await closed;
    this.lose(acks.deafness ? `answers cannot be heard: ${textOf(acks.deafness)}` : 'the connection was lost');
    this.wasAway = true;
    if (!this.closing.signal.aborted) this.say('warn', this.reason);
    return wasOfUse;
  }

  private async watchStream(connection: NatsConnection, acks: AckInbox, ended: AbortSignal): Promise<boolean> {
    const { clock, stream, timeoutMs } = this.options;
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
    const session = { connection, manager, js: jetstream(connection, { timeout: timeoutMs }), acks };
    const isOver = (): boolean => ended.aborted;
    let wasOfUse = false;
    for (let failures = 0; !isOver();) {
      this.doubt = new AbortController();
      const check = await ensureStream(manager, stream);
      if (isOver()) break;
      if ('fault' in check) {
        failures += 1;
        this.lose(`the stream ${stream.name} cannot be used: ${check.fault}`);
        this.say('error', this.reason);
        await clock.sleep(backoffMs(failures, FIRST_BACKOFF_MS, MAX_BACKOFF_MS), ended);
        continue;
      }
      failures = 0;
      wasOfUse = true;
      this.begin(session, check);
      await clock.sleep(RECHECK_MS, ended);
      await clock.sleep(NEVER_MS, this.doubt.signal);
    }
    return wasOfUse;
  }

  /** Ends a connection whose server does not answer any more. */
  private async watchConnection(connection: NatsConnection, ended: AbortSignal): Promise<void> {
    const { clock, heartbeatMs, timeoutMs } = this.options;
    while (!ended.aborted) {
      await clock.sleep(heartbeatMs, ended);
      const waiting = within(ended);
      const pong = connection.flush().then(
        () => true,
        () => false,
      );
      const late = clock.sleep(timeoutMs, waiting.signal).then(() => false);
      const isAlive = await Promise.race([pong, late]);
      waiting.end();
      if (!isAlive) await connection.close();
    }
  }

  private begin(session: Session, { isNew, warnings }: UsableStream): void {
    this.current = session;
    const { name } = this.options.stream;
    if (isNew) this.say('info', `made the stream ${name}`);
    if (warnings.length > 0) this.say('warn', `the stream ${name} is not as it should be: ${warnings.join('; ')}`);
    else this.say('info', `${this.greeting(session.connection.getServer())}, stream ${name}`);
  }

  private lose(reason: string): void {
    this.reason = reason;
    this.current = undefined;
  }

  private greeting(server: string): string {
    return this.wasAway ? `${server} is back` : `connected to ${server}`;
  }

  /** The same is said once, until something else is. */
  private say(level: 'info' | 'warn' | 'error', text: string): void {
    if (this.said === text) return;
    this.said = text;
    this.options.logger[level]({ broker: 'nats' }, `NATS: ${text}`);
  }
}

/** Ends with the outer signal, or by itself. AbortSignal.any would leave something at the outer one for ever (Node 20). */
function within(outer: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
  const inner = new AbortController();
  const end = (): void => {
    outer.removeEventListener('abort', end);
    inner.abort();
  };
  outer.addEventListener('abort', end);
  if (outer.aborted) end();
  return { signal: inner.signal, end };
}

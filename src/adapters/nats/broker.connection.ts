import { once } from 'node:events';
import { connect as connectSocket, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { linkedSignal, withTimeout } from '../waiting.js';
import { AckInbox } from './broker.acks.js';
import { nameOf, type NatsAddress } from './broker.address.js';
import { textOf } from './broker.errors.js';
import { diagnose, secure, type NatsSecurity, type Secured } from './broker.security.js';
import { ensureStream, type StreamWish, type UsableStream } from './broker.stream.js';

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
/** Minimum interval between checks of a stream that may be unusable. */
const RECHECK_MS = 500;
/** Maximum number of remembered log messages. It is reached only if a server keeps generating different messages. */
const MAX_REMEMBERED_LINES = 100;
/**
 * Disables the driver's heartbeats, because the driver waits for a stuck socket to flush its last bytes before it gives
 * up.
 */
const NEVER_MS = 2_147_483_647;

export type ConnectionOptions = {
  readonly addresses: readonly NatsAddress[];
  readonly security: NatsSecurity;
  readonly stream: StreamWish;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout for connecting to a server, for its heartbeat response, and for stream requests. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
};
/** A connection with a usable stream. */
export type Session = {
  readonly connection: NatsConnection;
  readonly acks: AckInbox;
};

/**
 * Maintains one connection until it is closed. Does not use the driver's reconnect logic, which leaves requests on the
 * old connection pending and makes an initial attempt that cannot be cancelled.
 */
export class NatsLink {
  /** Reason why there is no session and the setting to check. */
  fault: EngineFault = { setting: 'NATS_URL', reason: 'not connected yet' };
  private current: Session | undefined;
  private readonly closing = new AbortController();
  private doubt = new AbortController();
  /** Messages logged since the stream was last usable. Each message is logged only once. */
  private readonly said = new Set<string>();
  private wasAway = false;
  private readonly running: Promise<void>;

  constructor(private readonly options: ConnectionOptions) {
    this.running = this.run();
  }

  get session(): Session | undefined {
    return this.current?.connection.isClosed() === false ? this.current : undefined;
  }

  /** Schedules an early stream check after a failed publish. */
  doubtStream(): void {
    this.doubt.abort();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.current?.connection.close();
    this.lose({ setting: 'NATS_URL', reason: 'closed' });
    // A connection attempt in progress need not be awaited, because it ends within its timeout.
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
        this.lose(diagnose(error, this.options.security, address));
        this.say('warn', `${this.fault.setting}: ${this.fault.reason} (${nameOf(address)})`);
      }
    }
    return undefined;
  }

  private async connectTo(address: NatsAddress): Promise<NatsConnection> {
    const { timeoutMs, security } = this.options;
    const { authenticator, tls } = await secure(security);
    await this.requireAnswer(address, tls);
    return connect({
      servers: nameOf(address),
      name: 'kontor',
      ...(authenticator ? { authenticator } : address.credentials),
      ...((address.tls || tls) && { tls: { ...tls } }),
      reconnect: false,
      timeout: timeoutMs,
      pingInterval: NEVER_MS,
      noAsyncTraces: true,
      // The connection ends when its server stops, so updates about other servers are not needed.
      ignoreClusterUpdates: true,
    });
  }

  /**
   * Waits for the server's first message, which is sent immediately or right after the TLS handshake. The driver would
   * never close its socket to a server that accepts connections but sends nothing.
   */
  private async requireAnswer({ host, port }: NatsAddress, tls: Secured['tls']): Promise<void> {
    const { clock, timeoutMs } = this.options;
    const waiting = linkedSignal(this.closing.signal);
    const target = { host, port };
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = tls?.handshakeFirst ? connectTls({ ...target, ...servername, ...tls }) : connectSocket(target);
    const answer = once(socket, 'data', { signal: waiting.signal });
    try {
      await withTimeout(clock, timeoutMs, answer, () => new Error('the server does not respond'));
    } finally {
      waiting.end();
      socket.destroy();
    }
  }

  /** Uses a connection until it ends. Resolves to true if the stream was usable. */
  private async serve(connection: NatsConnection): Promise<boolean> {
    const ended = linkedSignal(this.closing.signal);
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
    const reason = acks.deafness ? `responses cannot be received: ${textOf(acks.deafness)}` : 'the connection was lost';
    this.lose({ setting: 'NATS_URL', reason });
    this.wasAway = true;
    if (!this.closing.signal.aborted) this.say('warn', reason);
    return wasOfUse;
  }

  private async watchStream(connection: NatsConnection, acks: AckInbox, ended: AbortSignal): Promise<boolean> {
    const { clock, stream, timeoutMs } = this.options;
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
    const isOver = (): boolean => ended.aborted;
    let wasOfUse = false;
    for (let failures = 0; !isOver();) {
      this.doubt = new AbortController();
      const check = await ensureStream(manager, stream, this.serversOf(connection));
      if (isOver()) break;
      if ('fault' in check) {
        failures += 1;
        const reason = `the stream ${stream.name} cannot be used: ${check.fault}`;
        this.lose({ setting: 'NATS_URL', reason });
        this.say('error', reason);
        await clock.sleep(backoffMs(failures, FIRST_BACKOFF_MS, MAX_BACKOFF_MS), ended);
        continue;
      }
      failures = 0;
      wasOfUse = true;
      this.begin({ connection, acks }, check);
      await clock.sleep(RECHECK_MS, ended);
      await clock.sleep(NEVER_MS, this.doubt.signal);
    }
    return wasOfUse;
  }

  /** Closes a connection whose server has stopped responding. */
  private async watchConnection(connection: NatsConnection, ended: AbortSignal): Promise<void> {
    const { clock, heartbeatMs, timeoutMs } = this.options;
    while (!ended.aborted) {
      await clock.sleep(heartbeatMs, ended);
      const waiting = linkedSignal(ended);
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
    const isBack = this.current === undefined;
    this.current = session;
    if (isBack) this.said.clear();
    const { name } = this.options.stream;
    if (isNew) this.say('info', `created the stream ${name}`);
    if (warnings.length > 0)
      this.say('warn', `the stream ${name} differs from the expected settings: ${warnings.join('; ')}`);
    else this.say('info', `${this.greeting(session.connection.getServer())}, stream ${name}`);
  }

  private lose(fault: EngineFault): void {
    this.fault = fault;
    this.current = undefined;
  }

  private greeting(server: string): string {
    return this.wasAway ? `${server} is back` : `connected to ${server}`;
  }

  /** Returns the number of servers in the cluster, as reported on this connection. */
  private serversOf({ info }: NatsConnection): number {
    const told = info?.cluster === undefined ? 0 : new Set(info.connect_urls).size;
    return Math.max(this.options.addresses.length, told);
  }

  private say(level: 'info' | 'warn' | 'error', text: string): void {
    if (this.said.has(text)) return;
    if (this.said.size < MAX_REMEMBERED_LINES) this.said.add(text);
    this.options.logger[level]({ broker: 'nats' }, `NATS: ${text}`);
  }
}

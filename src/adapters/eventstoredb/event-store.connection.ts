import { setMaxListeners } from 'node:events';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';
import { EventStoreUnavailable } from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { linkedSignal, withTimeout } from '../waiting.js';
import { whyUnreachable } from './event-store.probe.js';
import { type ClientInternals, internalsOf, newClient, StreamsClient, type StreamsStub } from './event-store.client.js';
import { Diagnosis, GRPC_UNAVAILABLE, reasonOf } from './event-store.errors.js';

type State = ReturnType<Channel['getConnectivityState']>;

/** Time limit for the client to end its streams. */
const DISPOSE_MS = 1_000;
/** gRPC channel states, redeclared because the gRPC package is not a direct dependency. */
const READY = 2;
const TRANSIENT_FAILURE = 3;
const SHUTDOWN = 4;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Removes the listener limit. Every read operation and every subscription adds a listener, so many listeners do not
 * indicate a leak.
 */
const unlimited = (controller: AbortController): AbortController => {
  setMaxListeners(0, controller.signal);
  return controller;
};

export type ConnectionOptions = {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs: number;
};

export type Calling = { readonly streams: StreamsStub; readonly args: [Metadata, CallOptions] };

/**
 * Connection to the leader. The client finds the leader (by gossip if the connection string specifies it), follows
 * leader changes, and drops broken channels. This class sends nothing until a channel is ready, so a failure before
 * then proves that nothing was sent. It also waits between connection attempts.
 */
export class Connection {
  private readonly client: EventStoreDBClient;
  readonly diagnosis: Diagnosis;
  private readonly internals: ClientInternals;
  private readonly closer = unlimited(new AbortController());
  private readonly releaser = unlimited(new AbortController());
  private channel: Channel | undefined;
  private connecting: Promise<void> | undefined;
  private failures = 0;
  private notBeforeMs = 0;
  private reason = '';

  /** @throws Error for an invalid connection string */
  constructor(private readonly options: ConnectionOptions) {
    this.client = newClient(options.url);
    this.diagnosis = new Diagnosis(options.logger);
    this.internals = internalsOf(this.client);
    this.guardClient();
  }

  /** Aborts when the store is closed. Subscriptions then end, and new calls are rejected. */
  get closing(): AbortSignal {
    return this.closer.signal;
  }

  /** Aborts when calls in flight must also end. */
  get released(): AbortSignal {
    return this.releaser.signal;
  }

  assertOpen(): void {
    if (this.closer.signal.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  /**
   * Resolves when calls can be sent. @throws EventStoreUnavailable after the timeout, or immediately if an attempt
   * failed recently
   */
  private async ready(): Promise<void> {
    this.assertHeld();
    if (Number(this.channel?.getConnectivityState(false)) === READY) return;
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    // Discovery may take longer than the timeout. It then continues for later callers.
    await this.inTime(this.connecting);
  }

  /**
   * Returns the stub and the arguments for a call on a ready channel.
   * @throws EventStoreUnavailable, in which case nothing was sent
   */
  async calling(): Promise<Calling> {
    await this.ready();
    try {
      const streams = await this.internals.getGRPCClient(StreamsClient, 'streams');
      return { streams, args: this.internals.callArguments({ requiresLeader: true }, { deadline: Infinity }) };
    } catch (error) {
      throw new EventStoreUnavailable(`The call to the event store failed: ${reasonOf(error)}`, error);
    }
  }

  /** Returns the server's version, or null if the server does not report it. @throws EventStoreUnavailable */
  async version(): Promise<string | null> {
    await this.ready();
    try {
      const { serverVersion = '' } = await this.inTime(this.internals.capabilities);
      return serverVersion === '' || serverVersion === 'unknown' ? null : serverVersion;
    } catch (error) {
      throw new EventStoreUnavailable(`The request to the event store failed: ${reasonOf(error)}`, error);
    }
  }

  /** Reports a failed call to the client, which then reconnects or switches to the leader if necessary. */
  report(streams: StreamsStub, error: Error): Promise<void> {
    return this.internals.handleError(streams, error);
  }

  /** Rejects new calls from now on. Calls in flight continue until `release`. */
  close(): void {
    this.closer.abort();
  }

  async release(): Promise<void> {
    this.releaser.abort();
    // The client waits for every stream to finish, but a stream that was cancelled while the server was hanging may
    // never finish.
    const waiting = new AbortController();
    await Promise.race([this.client.dispose(), this.options.clock.sleep(DISPOSE_MS, waiting.signal)]);
    waiting.abort();
    this.channel?.close();
  }

  private assertHeld(): void {
    if (this.released.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    const late = () =>
      new EventStoreUnavailable(`No connection to the event store within ${this.options.timeoutMs} ms`);
    return withTimeout(this.options.clock, this.options.timeoutMs, work, late);
  }

  private async connect(): Promise<void> {
    if (this.options.clock.monotonicMs() < this.notBeforeMs)
      throw new EventStoreUnavailable(`The event store is unavailable: ${this.reason}`);
    try {
      await this.untilReady(await this.internals.getChannel());
    } catch (error) {
      await this.noteFailure();
      throw new EventStoreUnavailable(`The event store is unavailable: ${this.reason}`, error);
    }
    this.diagnosis.noteUnreachable(undefined);
    if (this.failures > 0) this.options.logger.info({ failures: this.failures }, 'The event store is back');
    this.failures = 0;
  }

  private async noteFailure(): Promise<void> {
    if (this.released.aborted) return;
    const fault = await whyUnreachable(this.options.url);
    this.diagnosis.noteUnreachable(fault);
    const reason = `${fault.setting}: ${fault.reason}`;
    // The reason is logged at the start of each outage and whenever the reason changes.
    if (this.failures === 0 || reason !== this.reason)
      this.options.logger.warn(fault, 'The event store is unavailable');
    this.reason = reason;
    this.notBeforeMs = this.options.clock.monotonicMs() + backoffMs(this.failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.failures += 1;
  }

  private async untilReady(channel: Channel): Promise<void> {
    const until = this.options.clock.monotonicMs() + this.options.timeoutMs;
    for (;;) {
      this.assertHeld();
      const state = channel.getConnectivityState(true);
      const code: number = state;
      if (code === READY) return;
      if (code === SHUTDOWN) throw new Error('the connection was closed after a timeout');
      const leftMs = until - this.options.clock.monotonicMs();
      if (code === TRANSIENT_FAILURE || leftMs <= 0) {
        await this.giveUp();
        throw new Error(`no connection to ${channel.getTarget()}`);
      }
      await this.untilOther(channel, state, leftMs);
    }
  }

  /** Resolves when the channel leaves `state`, or after `ms`. */
  private async untilOther(channel: Channel, state: State, ms: number): Promise<void> {
    const waiting = linkedSignal(this.released);
    const changed = new Promise<void>((resolve) => {
      channel.watchConnectivityState(state, Infinity, () => {
        resolve();
      });
    });
    await Promise.race([changed, this.options.clock.sleep(ms, waiting.signal)]);
    waiting.end();
  }

  /** Makes the client open a new channel for the next call. With discovery, this may be a channel to another node. */
  private async giveUp(): Promise<void> {
    const streams = await this.internals.getGRPCClient(StreamsClient, 'streams');
    await this.report(streams, Object.assign(new Error('no connection'), { code: GRPC_UNAVAILABLE, details: '' }));
  }

  /**
   * Wraps `getChannel` to determine the current channel. Also wraps `handleError`, because the client does not await
   * it, so a failed discovery would terminate the process.
   */
  private guardClient(): void {
    const { getChannel, handleError } = this.internals;
    this.internals.getChannel = async () => {
      const channel = await getChannel();
      this.channel = channel;
      return channel;
    };
    this.internals.handleError = (streams, error) => handleError(streams, error).catch(() => undefined);
  }
}

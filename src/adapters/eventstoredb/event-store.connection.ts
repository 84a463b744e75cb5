import { setMaxListeners } from 'node:events';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { IStreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';
import { EventStoreUnavailable } from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { type ClientInternals, internalsOf, newClient, StreamsClient } from './event-store.client.js';
import { GRPC_UNAVAILABLE, reasonOf } from './event-store.errors.js';

type State = ReturnType<Channel['getConnectivityState']>;

/** How long the client may take to end its streams. */
const DISPOSE_MS = 1_000;
/** gRPC's states of a channel: its package is not ours to load. */
const READY = 2;
const TRANSIENT_FAILURE = 3;
const SHUTDOWN = 4;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** As many as there are reads and subscriptions: no leak. */
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

export type Calling = { readonly streams: IStreamsClient; readonly args: [Metadata, CallOptions] };

/**
 * The way to the leader. The client finds it (by gossip where the connection string says so), follows a change of
 * leader and drops a broken channel; this class waits until a channel stands before anything is sent on it, so that
 * what fails before that was surely not sent, and spaces the attempts.
 */
export class Connection {
  readonly client: EventStoreDBClient;
  readonly #internals: ClientInternals;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  readonly #closing = unlimited(new AbortController());
  readonly #released = unlimited(new AbortController());
  #channel: Channel | undefined;
  #connecting: Promise<void> | undefined;
  #failures = 0;
  #notBeforeMs = 0;
  #reason = '';

  /** @throws Error where the connection string is none */
  constructor({ url, clock, logger, timeoutMs }: ConnectionOptions) {
    this.client = newClient(url);
    this.#internals = internalsOf(this.client);
    this.#clock = clock;
    this.#logger = logger;
    this.#timeoutMs = timeoutMs;
    this.#guardClient();
  }

  /** Aborts when the store closes: subscriptions end, nothing new begins. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborts when everything that was under way is to end, too. */
  get released(): AbortSignal {
    return this.#released.signal;
  }

  assertOpen(): void {
    if (this.#closing.signal.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  /**
   * Resolves when calls can be sent.
   * @throws EventStoreUnavailable within the time-out; at once where an attempt has just failed
   */
  async ready(): Promise<void> {
    this.#assertHeld();
    if (Number(this.#channel?.getConnectivityState(false)) === READY) return;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    // Discovery may take longer than anyone wants to wait; it goes on, for those who come later.
    await this.#inTime(this.#connecting);
  }

  /** What a call needs, on a channel that stands. @throws EventStoreUnavailable: nothing was sent */
  async calling(): Promise<Calling> {
    await this.ready();
    try {
      const streams = await this.#internals.getGRPCClient(StreamsClient, 'streams');
      return { streams, args: this.#internals.callArguments({ requiresLeader: true }, { deadline: Infinity }) };
    } catch (error) {
      throw new EventStoreUnavailable(`The event store could not be called: ${reasonOf(error)}`, error);
    }
  }

  /** The server's; null where it does not tell. @throws EventStoreUnavailable */
  async version(): Promise<string | null> {
    await this.ready();
    try {
      const { serverVersion = '' } = await this.#inTime(this.#internals.capabilities);
      return serverVersion === '' || serverVersion === 'unknown' ? null : serverVersion;
    } catch (error) {
      throw new EventStoreUnavailable(`The event store could not be asked: ${reasonOf(error)}`, error);
    }
  }

  /** Tells the client of a failed call, so that it reconnects, or goes to the leader, where that helps. */
  report(streams: IStreamsClient, error: Error): Promise<void> {
    return this.#internals.handleError(streams, error);
  }

  /** Refuses new calls from now on; calls under way go on until `release`. */
  close(): void {
    this.#closing.abort();
  }

  async release(): Promise<void> {
    this.#released.abort();
    // The client waits for every stream to finish, and one that was given up while the server hung may never do so.
    const waiting = new AbortController();
    await Promise.race([this.client.dispose(), this.#clock.sleep(DISPOSE_MS, waiting.signal)]);
    waiting.abort();
    this.#channel?.close();
  }

  #assertHeld(): void {
    if (this.released.aborted) throw new EventStoreUnavailable('The event store is closed');
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const late = this.#clock.sleep(this.#timeoutMs, waiting.signal).then(() => {
      throw new EventStoreUnavailable(`The event store was not reached within ${this.#timeoutMs} ms`);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      waiting.abort();
    }
  }

  async #connect(): Promise<void> {
    if (this.#clock.monotonicMs() < this.#notBeforeMs)
      throw new EventStoreUnavailable(`The event store is away: ${this.#reason}`);
    try {
      await this.#untilReady(await this.#internals.getChannel());
    } catch (error) {
      this.#noteFailure(reasonOf(error));
      throw new EventStoreUnavailable(`The event store is away: ${this.#reason}`, error);
    }
    if (this.#failures > 0) this.#logger.info({ failures: this.#failures }, 'The event store is back');
    this.#failures = 0;
  }

  #noteFailure(reason: string): void {
    this.#reason = reason;
    if (this.#failures === 0 && !this.released.aborted) this.#logger.warn({ reason }, 'The event store is away');
    this.#notBeforeMs = this.#clock.monotonicMs() + backoffMs(this.#failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#failures += 1;
  }

  async #untilReady(channel: Channel): Promise<void> {
    const until = this.#clock.monotonicMs() + this.#timeoutMs;
    for (;;) {
      this.#assertHeld();
      const state = channel.getConnectivityState(true);
      const code: number = state;
      if (code === READY) return;
      if (code === SHUTDOWN) throw new Error('the connection was given up');
      const leftMs = until - this.#clock.monotonicMs();
      if (code === TRANSIENT_FAILURE || leftMs <= 0) {
        await this.#giveUp();
        throw new Error(`no connection to ${channel.getTarget()}`);
      }
      await this.#untilOther(channel, state, leftMs);
    }
  }

  /** Resolves when the channel has left `state`, or after `ms`. */
  async #untilOther(channel: Channel, state: State, ms: number): Promise<void> {
    const waiting = new AbortController();
    const stop = (): void => {
      waiting.abort();
    };
    this.released.addEventListener('abort', stop);
    const changed = new Promise<void>((resolve) => {
      channel.watchConnectivityState(state, Infinity, () => {
        resolve();
      });
    });
    await Promise.race([changed, this.#clock.sleep(ms, waiting.signal)]);
    this.released.removeEventListener('abort', stop);
    stop();
  }

  /** The client makes a new channel for the next call: where it discovers nodes, to another one. */
  async #giveUp(): Promise<void> {
    const streams = await this.#internals.getGRPCClient(StreamsClient, 'streams');
    await this.report(streams, Object.assign(new Error('no connection'), { code: GRPC_UNAVAILABLE, details: '' }));
  }

  /** The client calls these two of itself and does not wait for the second: a failed discovery would end the process. */
  #guardClient(): void {
    const { getChannel, handleError } = this.#internals;
    this.#internals.getChannel = async () => {
      const channel = await getChannel();
      this.#channel = channel;
      return channel;
    };
    this.#internals.handleError = (streams, error) => handleError(streams, error).catch(() => undefined);
  }
}

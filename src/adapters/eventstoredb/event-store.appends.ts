import {
  type Appended,
  EventStoreUnavailable,
  type ExpectedRevision,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import type { Connection } from './event-store.connection.js';
import { toUnknown, typeOf } from './event-store.errors.js';
import { Lane } from './event-store.lane.js';
import { deleteRequest } from './event-store.messages.js';

export type AppendLimits = {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
};

type Waiting = { readonly send: (lane: Lane) => void; readonly reject: (error: Error) => void };

/**
 * The writing half. It speaks BatchAppend itself, since the client's own has a table of pending appends that all
 * clients of a process share (an error of one call fails those of the others, a late answer ends the process), no
 * time-out, and encodes everything twice.
 */
export class Appends {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #limits: AppendLimits;
  #lane: Lane | undefined;
  /** Those that came before the lane was open, in their order. */
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #inFlightBytes = 0;
  #idle: (() => void) | undefined;

  constructor(connection: Connection, clock: Clock, limits: AppendLimits) {
    this.#connection = connection;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Sent in the order in which they come. @throws what the port's `append` throws */
  append(append: SerializedAppend): Promise<Appended> {
    return this.#admitted(append.bytes, () => {
      const deadlineMs = this.#clock.monotonicMs() + this.#limits.timeoutMs;
      if (this.#lane?.isOpen) return this.#lane.send(append, deadlineMs);
      return new Promise<Appended>((resolve, reject) => {
        const send = (lane: Lane): void => {
          resolve(lane.send(append, deadlineMs));
        };
        this.#waiting.push({ send, reject });
        if (this.#waiting.length === 1) void this.#openLane();
      });
    });
  }

  /** @throws what the port's `deleteStream` throws */
  deleteStream(stream: string, expected: ExpectedRevision): Promise<void> {
    return this.#admitted(0, async () => {
      try {
        await this.#delete(stream, expected);
      } catch (error) {
        throw toDeleteError(error, stream, expected);
      }
    });
  }

  /** Resolves when nothing is in flight: within the time-out, where the store has been closed to new appends. */
  async drained(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    this.#lane?.end();
  }

  async #admitted<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    this.#connection.assertOpen();
    const { maxInFlight, maxInFlightBytes } = this.#limits;
    if (this.#inFlight >= maxInFlight || this.#inFlightBytes + bytes > maxInFlightBytes)
      throw new EventStoreUnavailable(`Too many appends wait for the event store: ${this.#inFlight}`);
    this.#inFlight += 1;
    this.#inFlightBytes += bytes;
    try {
      return await write();
    } finally {
      this.#inFlight -= 1;
      this.#inFlightBytes -= bytes;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  /** The lane is there for others only when all who have waited for it are sent: nobody overtakes them. */
  async #openLane(): Promise<void> {
    try {
      const { streams, args } = await this.#connection.calling();
      const onError = (error: Error): void => void this.#connection.report(streams, error);
      const lane = new Lane(streams.batchAppend(...args), this.#clock, onError);
      this.#lane = lane;
      for (const waiting of this.#waiting.splice(0)) waiting.send(lane);
    } catch (error) {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error as Error);
    }
  }

  async #delete(stream: string, expected: ExpectedRevision): Promise<void> {
    const { streams, args } = await this.#connection.calling();
    const done = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const call = streams.delete(deleteRequest(stream, expected), ...args, (error) => {
          if (error) reject(error);
          else resolve();
        });
        void this.#clock.sleep(this.#limits.timeoutMs, done.signal).then(() => {
          call.cancel();
        });
      });
    } catch (error) {
      await this.#connection.report(streams, error as Error);
      throw error;
    } finally {
      done.abort();
    }
  }
}

/** gRPC's trailers of a refused call: what the client's own errors are made of. */
type Refusal = { readonly metadata?: { get(key: string): readonly (string | Buffer)[] } };

function toDeleteError(error: unknown, stream: string, expected: ExpectedRevision): Error {
  const trailer = (key: string): string | undefined => (error as Refusal).metadata?.get(key)[0]?.toString();
  switch (trailer('exception') ?? typeOf(error)) {
    case 'wrong-expected-version': {
      const actual = Number(trailer('actual-version') ?? -1);
      return new WrongExpectedRevision(stream, expected, actual < 0 ? 'no_stream' : actual);
    }
    case 'stream-deleted':
      return new StreamTombstoned(stream);
    case 'access-denied':
    case 'not-leader':
      return new EventStoreUnavailable(`The deletion of ${stream} was refused: ${(error as Error).message}`, error);
    default:
      return toUnknown(stream, error);
  }
}

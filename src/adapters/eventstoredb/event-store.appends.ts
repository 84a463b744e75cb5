import { type Appended, EventStoreUnavailable } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import { behind } from '../pipeline.js';
import { InFlight } from '../waiting.js';
import type { Connection } from './event-store.connection.js';
import { Lane } from './event-store.lane.js';

export type AppendLimits = {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
};

/**
 * Appends events. This class replaces the client's implementation of BatchAppend, which has no timeout and encodes
 * everything twice. That implementation also shares one table of pending appends among all clients in a process.
 * Therefore, an error in one call causes the pending appends of all other calls to fail, and a late response crashes
 * the process.
 */
export class Appends {
  private readonly inFlight: InFlight;
  private readonly shared: Lanes;
  private readonly all: Lanes[];

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly limits: AppendLimits,
  ) {
    this.inFlight = new InFlight({ count: limits.maxInFlight, bytes: limits.maxInFlightBytes });
    this.shared = new Lanes(connection, clock, true);
    this.all = [this.shared];
  }

  /** Sends appends in call order. @throws the errors of the port's `append` */
  async append(append: SerializedAppend, lanes = this.shared): Promise<Appended> {
    const { diagnosis } = this.connection;
    try {
      const appended = await this.send(append, lanes);
      diagnosis.noteDone('append to streams');
      return appended;
    } catch (error) {
      lanes.failed(error);
      diagnosis.noteFailed('append to streams', (error as Error).cause);
      throw error;
    }
  }

  /** Returns lanes for the appends of one pipeline. */
  pipeline(): Lanes {
    const lanes = new Lanes(this.connection, this.clock, false);
    this.all.push(lanes);
    return lanes;
  }

  /** Throws synchronously, so that no later append of a pipeline is sent. */
  private send(append: SerializedAppend, lanes: Lanes): Promise<Appended> {
    this.connection.assertOpen();
    const tooMany = (count: number) =>
      new EventStoreUnavailable(`The append queue of the event store is full: ${count} appends are waiting`);
    const deadlineMs = this.clock.monotonicMs() + this.limits.timeoutMs;
    return this.inFlight.run(append.bytes, () => lanes.send(append, deadlineMs), tooMany);
  }

  /** Resolves when no appends are in flight. If the store is closed to new appends, this happens within the timeout. */
  async drained(): Promise<void> {
    await this.inFlight.idle();
    for (const lanes of this.all) lanes.end();
  }
}

type Waiting = { readonly send: (lane: Lane) => void; readonly reject: (error: Error) => void };

/** Opens a lane for the first append and, if `reopens` is true, whenever the last lane can no longer be used. */
export class Lanes {
  private lane: Lane | undefined;
  private failure: unknown;
  /** Appends that arrived before the lane opened, in call order. */
  private waiting: Waiting[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly reopens: boolean,
  ) {}

  send(append: SerializedAppend, deadlineMs: number): Promise<Appended> {
    if (this.lane?.isOpen) return this.lane.send(append, deadlineMs);
    // Appends on another lane could overtake those that the server has yet to read from this one, or replace lost ones.
    if (this.lane && !this.reopens) this.failed(new Error('The append call has ended'));
    if (this.failure !== undefined) return Promise.reject(behind(this.failure));
    return new Promise<Appended>((resolve, reject) => {
      const send = (lane: Lane): void => {
        resolve(lane.send(append, deadlineMs));
      };
      this.waiting.push({ send, reject });
      if (this.waiting.length === 1) void this.open();
    });
  }

  /** Records that an append has failed. Without `reopens`, later ones then fail too. */
  failed(error: unknown): void {
    if (!this.reopens) this.failure ??= error;
  }

  end(): void {
    this.lane?.end();
  }

  /** Opens a lane and immediately sends all waiting appends on it, so that no later append overtakes them. */
  private async open(): Promise<void> {
    try {
      const { streams, args } = await this.connection.calling();
      const onError = (error: Error): void => void this.connection.report(streams, error);
      const lane = new Lane(streams.batchAppend(...args), this.clock, onError);
      this.lane = lane;
      for (const waiting of this.waiting.splice(0)) waiting.send(lane);
    } catch (error) {
      this.failed(error);
      for (const waiting of this.waiting.splice(0)) waiting.reject(error as Error);
    }
  }
}

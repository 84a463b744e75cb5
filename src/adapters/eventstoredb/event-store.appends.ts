import { type Appended, EventStoreUnavailable } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import { InFlight } from '../waiting.js';
import type { Connection } from './event-store.connection.js';
import { Lane } from './event-store.lane.js';

export type AppendLimits = {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
};

type Waiting = { readonly send: (lane: Lane) => void; readonly reject: (error: Error) => void };

/**
 * Appends events. This class replaces the client's implementation of BatchAppend, which has no timeout and encodes
 * everything twice. That implementation also shares one table of pending appends among all clients in a process.
 * Therefore, an error in one call causes the pending appends of all other calls to fail, and a late response crashes
 * the process.
 */
export class Appends {
  private readonly inFlight: InFlight;
  private lane: Lane | undefined;
  /** Appends that arrived before the lane opened, in call order. */
  private waiting: Waiting[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly limits: AppendLimits,
  ) {
    this.inFlight = new InFlight({ count: limits.maxInFlight, bytes: limits.maxInFlightBytes });
  }

  /** Sends appends in call order. @throws the errors of the port's `append` */
  async append(append: SerializedAppend): Promise<Appended> {
    const { diagnosis } = this.connection;
    try {
      const appended = await this.send(append);
      diagnosis.noteDone('append to streams');
      return appended;
    } catch (error) {
      diagnosis.noteFailed('append to streams', (error as Error).cause);
      throw error;
    }
  }

  private async send(append: SerializedAppend): Promise<Appended> {
    this.connection.assertOpen();
    const tooMany = (count: number) =>
      new EventStoreUnavailable(`The append queue of the event store is full: ${count} appends are waiting`);
    return this.inFlight.run(append.bytes, () => this.onLane(append), tooMany);
  }

  private onLane(append: SerializedAppend): Promise<Appended> {
    const deadlineMs = this.clock.monotonicMs() + this.limits.timeoutMs;
    if (this.lane?.isOpen) return this.lane.send(append, deadlineMs);
    return new Promise<Appended>((resolve, reject) => {
      const send = (lane: Lane): void => {
        resolve(lane.send(append, deadlineMs));
      };
      this.waiting.push({ send, reject });
      if (this.waiting.length === 1) void this.openLane();
    });
  }

  /** Resolves when no appends are in flight. If the store is closed to new appends, this happens within the timeout. */
  async drained(): Promise<void> {
    await this.inFlight.idle();
    this.lane?.end();
  }

  /** Opens a lane and immediately sends all waiting appends on it, so that no later append overtakes them. */
  private async openLane(): Promise<void> {
    try {
      const { streams, args } = await this.connection.calling();
      const onError = (error: Error): void => void this.connection.report(streams, error);
      const lane = new Lane(streams.batchAppend(...args), this.clock, onError);
      this.lane = lane;
      for (const waiting of this.waiting.splice(0)) waiting.send(lane);
    } catch (error) {
      for (const waiting of this.waiting.splice(0)) waiting.reject(error as Error);
    }
  }
}

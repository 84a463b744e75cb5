import { setImmediate as turn } from 'node:timers/promises';
import { BEFORE_ALL, type EventFilter, type Position } from '../../ports/event-store.js';
import type { Calling, Connection } from './event-store.connection.js';
import { type ReadCall, startRead, subscriptionRequest } from './event-store.read.js';
import type { WireAnswer, WireEvent } from './event-store.wire.js';

/**
 * Maximum number of events buffered for the consumer. Once it is reached, gRPC's flow control applies backpressure to
 * the server.
 */
const BUFFERED_EVENTS = 128;

/** Time within which all events of one append arrive. */
const APPEND_MS = 3;

export type SourceParts = {
  readonly connection: Connection;
  readonly calling: Calling;
  readonly after: Position;
  readonly filter: EventFilter | undefined;
  /** Called after each received message and after a failure. */
  readonly wake: () => void;
  /**
   * Returns the minimum time between deliveries, in milliseconds. The server sends events one by one. Handling them one
   * by one costs several times as much as handling them in batches. Default: no minimum.
   */
  readonly gatherMs: (() => number) | undefined;
};

/**
 * Pull interface to one subscription. Keeps its events, checkpoints and caught-up notifications in order. Ends
 * permanently at the first error.
 */
export class Source {
  private arrived: WireEvent[] = [];
  private filled: (() => void) | undefined;
  /** Position up to which the filter has been applied. Valid only while nothing is buffered. */
  checkpoint: Position = BEFORE_ALL;
  /** Whether all stored events have been delivered, according to the server. Valid only while nothing is buffered. */
  isLive = false;
  hasFailed = false;
  failure: unknown;

  private readonly call: ReadCall;
  private deliveredMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: SourceParts) {
    const { connection, calling, after, filter } = parts;
    this.call = startRead(connection, calling, subscriptionRequest(after, filter));
    this.call
      .on('data', (answer: WireAnswer) => {
        this.receive(answer);
      })
      .on('error', (error) => {
        this.fail(error);
      })
      .on('end', () => {
        this.fail(new Error('The server ended the subscription'));
      });
  }

  get isEmpty(): boolean {
    return this.arrived.length === 0;
  }

  /**
   * If any events have arrived, waits for more. The wait uses the real clock, which tests cannot stop. In a busy
   * thread, the time may have elapsed while the rest of an append is still being received. This method therefore also
   * waits for a turn of the event loop in which no event arrives.
   */
  async gather(): Promise<void> {
    const { gatherMs } = this.parts;
    if (!gatherMs || this.isEmpty) return;
    const leftMs = Math.max(APPEND_MS, this.deliveredMs + gatherMs() - performance.now());
    if (!this.isHalfFull && !this.hasFailed) await this.halfFull(leftMs);
    for (let count = 0; count < this.arrived.length && !this.isHalfFull;) {
      count = this.arrived.length;
      await turn();
    }
    this.deliveredMs = performance.now();
  }

  /** Removes up to `most` events from the buffer and returns them. */
  take(most: number): WireEvent[] {
    const taken = this.arrived.splice(0, most);
    if (this.call.isPaused() && !this.isHalfFull) this.call.resume();
    return taken;
  }

  end(): void {
    this.call.cancel();
  }

  /** Resolves when the buffer is half full, when the subscription has failed, or after `ms`. */
  private async halfFull(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.filled = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.filled = undefined;
  }

  private get isHalfFull(): boolean {
    return this.arrived.length >= BUFFERED_EVENTS / 2;
  }

  private receive({ item, checkpoint, hasCaughtUp, hasFallenBehind }: WireAnswer): void {
    // The response item for a link to a deleted event contains no event.
    if (item?.event) this.arrived.push(item.event);
    if (hasCaughtUp) this.isLive = true;
    if (hasFallenBehind) this.isLive = false;
    if (checkpoint && isUsable(checkpoint)) this.checkpoint = checkpoint.commit;
    if (this.arrived.length >= BUFFERED_EVENTS) this.call.pause();
    if (this.isHalfFull) this.filled?.();
    this.parts.wake();
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.hasFailed = true;
    this.filled?.();
    this.parts.wake();
  }
}

/**
 * Whether a checkpoint is a safe integer and a valid position from which to resume. Two kinds of checkpoints are
 * invalid. Versions 24.2 to 24.10.4 send (2^64-1, 2^64-1) when a subscription goes live before any event has matched
 * its filter. If commit and prepare differ, the commit may be at the end of the log, where the next event will be
 * written (KurrentDB's KDB-744). The prepare position is then 0, as in all checkpoints from older servers.
 */
const isUsable = ({ commit, prepare }: NonNullable<WireAnswer['checkpoint']>): boolean =>
  commit === prepare && Number.isSafeInteger(commit);

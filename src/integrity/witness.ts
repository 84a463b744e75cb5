import { retryForever } from '../eventsourcing/retry-forever.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

/** Name of the queue of checkpoints for the witness, and of the mark that stores the last accepted position. */
export const WITNESS = 'integrity-witness';
/** Name of the mark that stores the revision of the last accepted checkpoint. */
const REVISION = `${WITNESS}-revision`;

const TIMEOUT_MS = 10_000;
const CONFLICT = 409;

/** A checkpoint in the history. */
export type StoredCheckpoint = { readonly revision: number; readonly position: Position; readonly note: string };

export type WitnessParts = {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the checkpoints in the history, starting at a revision of their stream, oldest first. */
  readonly checkpoints: (from: number) => AsyncIterable<StoredCheckpoint>;
  /** Durable positions and counts; −1 if absent. */
  readonly marks: {
    load(name: string): Promise<number>;
    save(marks: Readonly<Record<string, number>>): Promise<void>;
  };
  readonly meter?: QueueMeter;
};

/** The witness has stored a checkpoint that the history contradicts. */
class WitnessConflict extends Error {
  override readonly name = 'WitnessConflict';
}

/**
 * Posts all checkpoints in the history to an external server, in order and at least once. They include checkpoints
 * signed while that server was unavailable or this process was not running. The history serves as the queue, so a long
 * outage requires no memory.
 */
export class Witness {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  /** Revision of the last accepted checkpoint; undefined until it is loaded. */
  private accepted: number | undefined;
  private position: Position = BEFORE_ALL;
  private isNewsKnown = true;
  private wake: () => void = () => undefined;

  constructor(private readonly parts: WitnessParts) {}

  start(): void {
    const { clock, meter } = this.parts;
    const { signal } = this.stopping;
    meter?.begin(BEFORE_ALL);
    const failed = (): void => {
      meter?.failed();
      meter?.markUnknown();
    };
    this.running = retryForever(clock, signal, (gotOn) => this.deliver(gotOn), this.complain, { failed });
  }

  /** Must be called when the history contains a new checkpoint. */
  notice(): void {
    this.isNewsKnown = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
    this.parts.meter?.end();
  }

  private readonly complain = (error: unknown): void => {
    const { logger } = this.parts;
    const reason = String(error);
    if (error instanceof WitnessConflict) logger.error({ reason }, 'the witness contradicts the history');
    else logger.warn({ reason }, 'a checkpoint cannot be delivered to INTEGRITY_WITNESS_URL; retrying');
  };

  private async deliver(gotOn: () => void): Promise<void> {
    const { checkpoints, marks, meter } = this.parts;
    const { signal } = this.stopping;
    this.accepted ??= await this.loadAccepted();
    while (!signal.aborted) {
      this.isNewsKnown = false;
      for await (const { revision, position, note } of checkpoints(this.accepted + 1)) {
        meter?.markUnknown();
        await this.post(note);
        [this.accepted, this.position] = [revision, position];
        meter?.handled(1, position);
        await marks.save({ [REVISION]: revision, [WITNESS]: position });
        gotOn();
      }
      meter?.reached(this.position, true);
      await this.news();
    }
  }

  private async loadAccepted(): Promise<number> {
    const { marks, checkpoints, logger } = this.parts;
    const accepted = await marks.load(REVISION);
    if (accepted < 0) return accepted;
    for await (const { position } of checkpoints(accepted)) {
      this.position = position;
      return accepted;
    }
    logger.error({}, 'the history lacks checkpoints that the witness has accepted; delivering all checkpoints again');
    return -1;
  }

  /** Resolves when the history contains a new checkpoint, or when this process stops. */
  private async news(): Promise<void> {
    if (this.isNewsKnown || this.stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  private async post(body: string): Promise<void> {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const over = AbortSignal.timeout(TIMEOUT_MS);
    const stop = new AbortController();
    const end = (): void => {
      stop.abort();
    };
    const sources = [over, this.stopping.signal];
    for (const source of sources) source.addEventListener('abort', end, { once: true });
    try {
      const { signal } = stop;
      const response = await fetch(this.parts.url, { method: 'POST', body, headers, redirect: 'error', signal });
      await response.body?.cancel();
      if (response.status === CONFLICT) throw new WitnessConflict('the witness has a contradicting checkpoint');
      if (!response.ok) throw new Error(`status ${response.status}`);
    } finally {
      for (const source of sources) source.removeEventListener('abort', end);
    }
  }
}

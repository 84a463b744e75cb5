import {
  type Appended,
  CorruptEvent,
  EventStoreUnavailable,
  type Position,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { EventLog } from './event-store.log.js';

/** One thing to do inside a group's transaction. */
export type Step = (log: EventLog, nowMs: number) => Appended;

/** Steps in order, each only when all before it have succeeded. */
type Work = {
  readonly steps: readonly Step[];
  readonly bytes: number;
  readonly results: Appended[];
  /** The refusal to answer with once the group is durable. */
  failure: Error | undefined;
  readonly resolve: (results: Appended[]) => void;
  readonly reject: (error: Error) => void;
};

/** A group holds the event loop for about 10 ms at most, and half of that in the usual case. */
const GROUP_MAX_STEPS = 512;
const GROUP_MAX_BYTES = 2 * 1024 * 1024;
const GROUP_MAX_MS = 8;
const QUEUE_MAX_STEPS = 100_000;
const QUEUE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Group commit: whatever is waiting goes into one transaction with one flush. The group is taken when the event loop has
 * handed out the input that was ready (`setImmediate`), so that requests of many connections share it.
 * Answers, refusals included, are given only after the commit: a refusal may rest on an append of the same group.
 */
export class GroupCommitWriter {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #onCommit: (head: Position) => void;
  #queue: Work[] = [];
  #queuedSteps = 0;
  #queuedBytes = 0;
  #scheduled = false;
  #closed = false;

  constructor(log: EventLog, clock: Clock, onCommit: (head: Position) => void) {
    this.#log = log;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  /** @throws EventStoreUnavailable (also when too much is waiting), and what the steps throw */
  run(steps: readonly Step[], bytes: number): Promise<Appended[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new EventStoreUnavailable('The event store is closed'));
        return;
      }
      if (this.#queuedSteps + steps.length > QUEUE_MAX_STEPS || this.#queuedBytes + bytes > QUEUE_MAX_BYTES) {
        reject(new EventStoreUnavailable('Too many appends are waiting'));
        return;
      }
      this.#queue.push({ steps, bytes, results: [], failure: undefined, resolve, reject });
      this.#queuedSteps += steps.length;
      this.#queuedBytes += bytes;
      this.#schedule();
    });
  }

  /** Carries out what is waiting and refuses what comes later. */
  close(): void {
    this.#closed = true;
    while (this.#queue.length > 0) this.#commitGroup();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#queue.length > 0) this.#commitGroup();
    });
  }

  #commitGroup(): void {
    const group: Work[] = [];
    let written = false;
    try {
      this.#fill(group);
      written = this.#log.commit();
    } catch (error) {
      const unavailable = this.#undo(error);
      for (const work of group) work.failure = unavailable;
    }
    this.#remove(group);
    if (this.#queue.length > 0) this.#schedule();
    settle(group);
    if (written) this.#onCommit(this.#log.end.last);
  }

  /** Works that the group's bounds cut in two stay first in the queue. */
  #fill(group: Work[]): void {
    const nowMs = this.#clock.nowMs();
    const endMs = this.#clock.monotonicMs() + GROUP_MAX_MS;
    let steps = 0;
    let bytes = 0;
    const isFull = (): boolean =>
      steps >= GROUP_MAX_STEPS || bytes >= GROUP_MAX_BYTES || (steps % 32 === 31 && this.#clock.monotonicMs() > endMs);
    for (const work of this.#queue) {
      if (isFull()) return;
      group.push(work);
      while (!isDone(work)) {
        if (isFull()) return;
        this.#carryOut(work, nowMs);
        steps += 1;
        bytes += work.bytes / work.steps.length;
      }
    }
  }

  #carryOut(work: Work, nowMs: number): void {
    const step = work.steps[work.results.length];
    if (!step) return;
    try {
      work.results.push(step(this.#log, nowMs));
    } catch (error) {
      // A refusal concerns this work alone; anything else (a full disk, say) has broken the transaction.
      if (!isRefusal(error)) throw error;
      work.failure = error;
    }
  }

  #undo(cause: unknown): EventStoreUnavailable {
    const unavailable = new EventStoreUnavailable('The append could not be stored', cause);
    try {
      this.#log.rollback();
    } catch (error) {
      return new EventStoreUnavailable('The append could not be stored nor undone', error);
    }
    return unavailable;
  }

  #remove(group: readonly Work[]): void {
    const done = group.filter(isDone);
    this.#queue = this.#queue.slice(done.length);
    for (const { steps, bytes } of done) {
      this.#queuedSteps -= steps.length;
      this.#queuedBytes -= bytes;
    }
  }
}

const isDone = (work: Work): boolean => work.failure !== undefined || work.results.length === work.steps.length;

const isRefusal = (error: unknown): error is Error =>
  error instanceof WrongExpectedRevision || error instanceof StreamTombstoned || error instanceof CorruptEvent;

function settle(group: readonly Work[]): void {
  for (const work of group) {
    if (work.failure) work.reject(work.failure);
    else if (isDone(work)) work.resolve(work.results);
  }
}

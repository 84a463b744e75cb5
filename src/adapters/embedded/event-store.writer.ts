import {
  type Appended,
  CorruptEvent,
  EventStoreUnavailable,
  type Position,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import type { SerializedAppend } from '../event-store.input.js';
import { behind } from '../pipeline.js';
import type { HistoryFiles } from './event-store.files.js';
import type { EventLog } from './event-store.log.js';
import { diskFault } from './sqlite.js';

/** The works of a pipeline. After one of them has failed, the others fail too. */
export type PipelineState = { failure?: Error };

/** Appends that run in order. Each one starts only after all preceding ones have succeeded. */
type Work = {
  readonly appends: readonly SerializedAppend[];
  readonly bytes: number;
  readonly results: Appended[];
  /** Reason for rejecting the append, reported once the group is durable. */
  failure: Error | undefined;
  readonly pipeline: PipelineState | undefined;
  readonly resolve: (results: Appended[]) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Limits on a group of appends that share a commit. A group blocks the event loop for at most about 10 ms, and usually
 * for half as long.
 */
const GROUP_MAX_APPENDS = 512;
const GROUP_MAX_BYTES = 2 * 1024 * 1024;
const GROUP_MAX_MS = 8;
const QUEUE_MAX_APPENDS = 100_000;
const QUEUE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Group commit: all waiting appends share one transaction with one flush. The group is formed once the event loop has
 * handled all ready input (`setImmediate`), so that requests from many connections share the group. Results, including
 * rejections, are returned only after the commit, because a rejection may depend on an append in the same group.
 */
export class GroupCommitWriter {
  private queue: Work[] = [];
  private queuedAppends = 0;
  private queuedBytes = 0;
  private scheduled = false;
  private closed = false;

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly directory: string,
    private readonly files: Pick<HistoryFiles, 'loss'>,
    private readonly onCommit: (head: Position) => void,
  ) {}

  /** @throws the errors of `EventLog.append`; EventStoreUnavailable, also when too many appends are waiting */
  run(appends: readonly SerializedAppend[], pipeline?: PipelineState): Promise<Appended[]> {
    const bytes = appends.reduce((sum, append) => sum + append.bytes, 0);
    return new Promise((resolve, reject) => {
      const work: Work = { appends, bytes, results: [], failure: undefined, pipeline, resolve, reject };
      const refusal = this.refusalOf(work);
      if (refusal) {
        fail(work, refusal);
        reject(refusal);
        return;
      }
      this.queue.push(work);
      this.queuedAppends += appends.length;
      this.queuedBytes += bytes;
      this.schedule();
    });
  }

  /** Commits waiting appends and rejects later ones. */
  close(): void {
    this.closed = true;
    while (this.queue.length > 0) this.commitGroup();
  }

  private refusalOf({ appends, bytes }: Work): EventStoreUnavailable | undefined {
    if (this.closed) return new EventStoreUnavailable('The event store is closed');
    if (this.queuedAppends + appends.length > QUEUE_MAX_APPENDS || this.queuedBytes + bytes > QUEUE_MAX_BYTES)
      return new EventStoreUnavailable('The append queue is full');
    return undefined;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.queue.length > 0) this.commitGroup();
    });
  }

  private commitGroup(): void {
    const group: Work[] = [];
    let written = false;
    try {
      this.fill(group);
      written = this.log.commit();
    } catch (error) {
      const unavailable = this.undo(error);
      for (const work of group) fail(work, unavailable);
    }
    const loss = written ? this.files.loss : undefined;
    if (loss) for (const work of group) fail(work, loss);
    this.remove(group);
    if (this.queue.length > 0) this.schedule();
    settle(group);
    if (written && !loss) this.onCommit(this.log.last);
  }

  /** Fills a group. Work that would exceed the group's limits remains at the head of the queue. */
  private fill(group: Work[]): void {
    const nowMs = this.clock.nowMs();
    const endMs = this.clock.monotonicMs() + GROUP_MAX_MS;
    let count = 0;
    let bytes = 0;
    const isFull = (): boolean =>
      count >= GROUP_MAX_APPENDS || bytes >= GROUP_MAX_BYTES || (count % 32 === 31 && this.clock.monotonicMs() > endMs);
    for (const work of this.queue) {
      if (isFull()) return;
      group.push(work);
      if (work.pipeline?.failure) work.failure = behind(work.pipeline.failure);
      while (!isDone(work)) {
        if (isFull()) return;
        this.carryOut(work, nowMs);
        count += 1;
        bytes += work.bytes / work.appends.length;
      }
    }
  }

  private carryOut(work: Work, nowMs: number): void {
    const append = work.appends[work.results.length];
    if (!append) return;
    try {
      work.results.push(this.log.append(append, nowMs));
    } catch (error) {
      // A rejection affects only this work item. After any other error, such as a full disk, the transaction cannot
      // continue.
      if (!isRefusal(error)) throw error;
      fail(work, error);
    }
  }

  private undo(cause: unknown): EventStoreUnavailable {
    const reason = diskFault(cause, this.directory);
    const unavailable = new EventStoreUnavailable('The append could not be stored', cause, reason);
    try {
      this.log.rollback();
    } catch (error) {
      return new EventStoreUnavailable('The append could be neither stored nor rolled back', error, reason);
    }
    return unavailable;
  }

  private remove(group: readonly Work[]): void {
    const done = group.filter(isDone);
    this.queue = this.queue.slice(done.length);
    for (const { appends, bytes } of done) {
      this.queuedAppends -= appends.length;
      this.queuedBytes -= bytes;
    }
  }
}

const isDone = (work: Work): boolean => work.failure !== undefined || work.results.length === work.appends.length;

function fail(work: Work, error: Error): void {
  work.failure = error;
  if (work.pipeline) work.pipeline.failure ??= error;
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof WrongExpectedRevision || error instanceof CorruptEvent;

function settle(group: readonly Work[]): void {
  for (const work of group) {
    if (work.failure) work.reject(work.failure);
    else if (isDone(work)) work.resolve(work.results);
  }
}

import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import {
  deadLetter,
  type DeadLetter,
  type DeadLetterEvent,
  DeadLetterOrigin,
  DeadLetterStatus,
  discardLetter,
} from '../aggregates/dead-letter.aggregate.js';
import { Instant, paragraph } from '../aggregates/fields.js';
import { replayLetter } from '../commands/operation.commands.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import type { EventMetadata } from '../eventsourcing/event-catalogue.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { inLanes } from '../eventsourcing/in-lanes.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventsAfter } from '../eventsourcing/stream-events.js';
import { isTemporary } from '../eventsourcing/transient-errors.js';
import type { EventReader, Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters, type DeadLetterView } from '../projections/dead-letter.projection.js';
import type { CaughtUp } from '../queries/caught-up.js';
import {
  BULK_JOBS,
  type DeadLetterReplayer,
  DEFAULT_PER_SECOND,
  MAX_PER_SECOND,
  parkedBy,
} from '../queries/dead-letter.queries.js';
import type { Matching } from '../queries/query.js';
import { BulkPace } from './bulk-pace.js';
import type { Job, JobOutcome, JobParts, JobRun } from './job.js';

export type BulkParts = JobParts & {
  readonly events: Pick<EventReader, 'head' | 'readAll'>;
  readonly reader: RecordReader;
  readonly replayer: DeadLetterReplayer;
  readonly caughtUp: CaughtUp;
  readonly logger: Logger;
};

const text = z.string().min(1).max(200);
const Filter = z.strictObject({
  origin: DeadLetterOrigin.optional(),
  status: DeadLetterStatus.optional(),
  tenantId: text.optional(),
  eventType: text.optional(),
  code: text.optional(),
  dateFrom: Instant.optional(),
  dateTo: Instant.optional(),
  search: z.string().max(200).optional(),
});
/** The filter is required, so that a job started by its name alone does not affect all letters of all tenants. */
const Replay = z.strictObject({
  filter: Filter,
  perSecond: z.int().min(1).max(MAX_PER_SECOND).default(DEFAULT_PER_SECOND),
});
const Discard = Replay.extend({ reason: paragraph(1_000) });
type Parameters = z.output<typeof Replay> & { readonly reason?: string };

/**
 * `upTo`: end of the history when the run began. A letter with later events has been handled by this run or by another
 * caller. `after`: cursor in the letter list at which the next batch begins. `resolved` and `failed` count letters
 * handled by this run.
 */
const Checkpoint = z.object({
  upTo: z.number(),
  matched: z.number(),
  after: z.string(),
  seen: z.number(),
  // Checkpoints from earlier releases lack `resolved`. The run recounts its letters at its end.
  resolved: z.number().default(0),
  failed: z.number(),
});
type Checkpoint = z.output<typeof Checkpoint>;
/** `other`: another caller, or an earlier attempt of this run, has handled the letter. */
type Outcome = 'resolved' | 'failed' | 'other';

type OutcomeType = Exclude<DeadLetterEvent['type'], 'DeadLetterParked'>;
const FAILED: OutcomeType = 'DeadLetterReplayFailed';
const OUTCOMES: readonly OutcomeType[] = ['DeadLetterReplayed', FAILED, 'DeadLetterDiscarded'];

/**
 * Number of letters in a batch. After an interruption, the batch is repeated; letters that have already been handled
 * are skipped.
 */
const PART = 50;
/** Number of letters handled concurrently. Letters for the same record are handled one after another. */
const LANES = 16;
const SAVE_EVERY_MS = 1_000;
const CATCH_UP_MS = 30_000;

/**
 * One run over many dead letters. It skips letters with an outcome recorded since it began. If a process crashes between
 * a replay and the record of its outcome, the letter is replayed again. Letters that fail again remain parked.
 */
class Bulk {
  private readonly queue = new KeyedQueue();
  private readonly pace: BulkPace;
  private readonly matching: Matching | undefined;
  /** Whether this run may have handled letters that its counts do not include. */
  private wasInterrupted: boolean;
  private savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly name: string,
    private readonly done: string,
    private readonly parts: BulkParts,
    private readonly task: JobRun<Parameters>,
  ) {
    // Every lane adds a listener to the signal while it waits for its turn.
    setMaxListeners(0, task.signal);
    this.pace = new BulkPace(parts.clock, task.parameters.perSecond);
    this.matching = parkedBy(task.parameters.filter);
    this.wasInterrupted = task.checkpoint !== undefined;
  }

  async carryOut(): Promise<Checkpoint> {
    const { models } = this.parts;
    const { checkpoint, signal } = this.task;
    let at = checkpoint === undefined ? await this.begin() : Checkpoint.parse(checkpoint);
    if (!this.matching) return at;
    for (let isLast = at.matched === 0; !isLast;) {
      await this.saveWhenDue(at, at);
      signal.throwIfAborted();
      const page = { ...this.matching, limit: PART, after: at.after };
      // Read the list in a separate turn of the event loop, so that requests do not wait for other work in addition.
      await nextTurn();
      const { documents, next } = await models.part(deadLetters, PLATFORM, page);
      await nextTurn();
      at = { ...(await this.handleAll(documents, at)), after: next ?? at.after };
      isLast = next === undefined;
    }
    return this.wasInterrupted ? { ...at, ...(await this.recounted(at.upTo)) } : at;
  }

  /**
   * Counts the letters that this run handled, including those that it handled between its last checkpoint and an
   * interruption. The list may no longer contain these letters, because their status or reason has changed.
   */
  private async recounted(upTo: Position): Promise<Pick<Checkpoint, 'resolved' | 'failed'>> {
    const { events } = this.parts;
    const { executionId, signal } = this.task;
    const [resolved, failed] = [new Set<string>(), new Set<string>()];
    const count = async () => {
      for await (const { stream, type, metadata } of eventsAfter(events, upTo, { on: 'type', prefixes: OUTCOMES })) {
        signal.throwIfAborted();
        if ((metadata as Partial<EventMetadata>).requestId === executionId)
          (type === FAILED ? failed : resolved).add(stream);
      }
    };
    await this.untilDone(count);
    // A process that lost its lease may have failed to replay a letter that this process then replayed.
    return { resolved: resolved.size, failed: [...failed].filter((stream) => !resolved.has(stream)).length };
  }

  /** Waits until the letter list contains all letters parked so far. */
  private async begin(): Promise<Checkpoint> {
    const { events, caughtUp, models } = this.parts;
    const upTo = await events.head();
    await caughtUp.withPosition([deadLetters], upTo, CATCH_UP_MS);
    const matched = this.matching ? await models.count(deadLetters, PLATFORM, this.matching) : 0;
    return { upTo, matched, after: '', seen: 0, resolved: 0, failed: 0 };
  }

  /** Saves the progress at most once a second. A resumed run continues from the checkpoint. */
  private async saveWhenDue(counted: Checkpoint, checkpoint: Checkpoint): Promise<void> {
    const nowMs = this.parts.clock.monotonicMs();
    if (nowMs - this.savedAtMs < SAVE_EVERY_MS) return;
    this.savedAtMs = nowMs;
    const message = messageOf(counted, this.done, false);
    await this.task.save({ progress: progressOf(counted), message, checkpoint });
  }

  /** Returns the counts including the letters. At a low rate, this takes a while, so progress is saved meanwhile. */
  private async handleAll(letters: readonly DeadLetterView[], before: Checkpoint): Promise<Checkpoint> {
    let counted = before;
    const { signal } = this.task;
    await inLanes(LANES, letters, async (letter) => {
      const outcome = await this.queue.run(letter.stream, () => {
        signal.throwIfAborted();
        return this.untilHandled(letter, before.upTo);
      });
      counted = {
        ...counted,
        seen: counted.seen + 1,
        resolved: counted.resolved + Number(outcome === 'resolved'),
        failed: counted.failed + Number(outcome === 'failed'),
      };
      await this.saveWhenDue(counted, before);
    });
    return counted;
  }

  /** Retries after temporary errors. @throws the signal's reason */
  private async untilDone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { clock, logger } = this.parts;
    const { signal } = this.task;
    const complain = (error: unknown) => {
      this.wasInterrupted = true;
      logger.warn({ err: error, job: this.name }, 'a dead letter cannot be handled yet; retrying');
    };
    const done = await retryForever(clock, signal, work, complain, { isFinal });
    signal.throwIfAborted();
    return done;
  }

  private async untilHandled(letter: DeadLetterView, upTo: number): Promise<Outcome> {
    return (await this.untilDone(() => this.handle(letter, upTo))) ?? 'other';
  }

  private async handle({ id, tenantId }: DeadLetterView, upTo: number): Promise<Outcome> {
    const { reader, ids } = this.parts;
    const { executionId: requestId } = this.task;
    await this.pace.turn(this.task.signal);
    const { state, position } = await reader.read(deadLetter, tenantId, id);
    if (state.status !== 'PARKED' || position > upTo) return 'other';
    const own = { tenantId, name: this.name, requestId, commandId: ids.next() };
    try {
      return await asService(own, () => this.act({ tenantId, id }, state));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'ALREADY_RESOLVED') return 'other';
      throw error;
    }
  }

  private async act(target: Target, state: DeadLetter): Promise<Outcome> {
    const { runner, replayer } = this.parts;
    const { reason } = this.task.parameters;
    const ready = () => this.pace.together(this.task.signal);
    if (reason === undefined) {
      const { status } = await replayLetter(runner, replayer, target, state, ready);
      return status === 'REPLAYED' ? 'resolved' : 'failed';
    }
    await ready();
    await runner.execute(deadLetter, target, { reason }, discardLetter);
    return 'resolved';
  }
}

const messageOf = ({ matched, resolved, failed }: Checkpoint, done: string, isOver = true): string => {
  const others = isOver ? matched - resolved - failed : 0;
  const ofOthers = others > 0 ? `, ${others} resolved otherwise` : '';
  return `${resolved} of ${matched} ${done}, ${failed} failed again${ofOthers}.`;
};

const progressOf = ({ matched, seen }: Checkpoint): number =>
  Math.min(99, Math.floor((100 * seen) / Math.max(1, matched)));

const isFinal = (error: unknown): boolean =>
  !isTemporary(error) && !(error instanceof DomainError && error.kind === 'unavailable');

/** Jobs that an operator starts for all dead letters that match a filter. */
export const deadLetterJobs = (parts: BulkParts): Job[] => [
  {
    name: BULK_JOBS.replay,
    description:
      'Replays the parked dead letters that match a filter, oldest first. Dead letters that fail again remain parked.',
    parameters: Replay,
    isResumable: true,
    run: (run) => outcomeOf(BULK_JOBS.replay, parts, run, 'replayed'),
  },
  {
    name: BULK_JOBS.discard,
    description: 'Discards the parked dead letters that match a filter.',
    parameters: Discard,
    isResumable: true,
    run: (run) => outcomeOf(BULK_JOBS.discard, parts, run, 'discarded'),
  },
];

async function outcomeOf(name: string, parts: BulkParts, run: JobRun, done: string): Promise<JobOutcome> {
  const at = await new Bulk(name, done, parts, run as JobRun<Parameters>).carryOut();
  return { message: messageOf(at, done) };
}

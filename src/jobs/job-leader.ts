import { Inject, Injectable } from '@nestjs/common';
import { job as aggregate, type JobEvent, MAX_AHEAD_MS, scheduledExecutionId } from '../aggregates/job.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type Recorded } from '../eventsourcing/event-catalogue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../ports/event-store.js';
import { type Logger, LOGGER } from '../ports/log.js';
import { type Clock, CLOCK, IDS, type Ids } from '../ports/time.js';
import type { Led } from '../projecting/leadership.js';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../queries/operation.queries.js';
import { JobRunner } from './job-runner.js';
import { type Job, JOBS } from './job.js';

type SchedulerParts = {
  readonly directory: JobDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runner: Pick<JobRunner, 'recordSchedule' | 'start'>;
};

/** Maximum interval between checks of the wall clock. The interval is limited, because the clock may jump. */
const LOOK_EVERY_MS = 10_000;
const RETRY_MS = 2_000;

/**
 * Starts jobs at the instants of their schedules, in UTC. The job's stream stores the last started instant, so each
 * instant starts at most one run despite clock changes or concurrent schedulers. Downtime or a clock that is set
 * forward may cause instants to be missed. Only the last missed instant starts a run, which is then late. Instants
 * before the current schedule was recorded are ignored.
 */
export class JobScheduler {
  /** Each job's last handled instant, in milliseconds since 1970. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly parts: SchedulerParts) {}

  /** Resolves when the signal has aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, directory, logger } = this.parts;
    while (!signal.aborted) {
      let waitMs = LOOK_EVERY_MS;
      for (const facts of directory.jobs.values()) {
        try {
          waitMs = Math.min(waitMs, await this.look(facts, signal));
        } catch (error) {
          logger.warn({ err: error, job: facts.name }, 'a scheduled job could not be started; retrying');
          waitMs = Math.min(waitMs, RETRY_MS);
        }
      }
      await clock.sleep(Math.max(1, waitMs), signal);
    }
  }

  /** Starts the job if it is due. Returns the number of milliseconds until the next instant of the job's schedule. */
  private async look(facts: JobFacts, signal: AbortSignal): Promise<number> {
    const { clock } = this.parts;
    if (signal.aborted) return LOOK_EVERY_MS;
    const seenMs = await this.seenOf(facts);
    if (!facts.isEnabled) return LOOK_EVERY_MS;
    const nowMs = clock.nowMs();
    const dueMs = facts.lastUpTo(nowMs);
    if (dueMs !== undefined && dueMs > seenMs) {
      await this.start(facts.name, dueMs);
      this.seen.set(facts.name, dueMs);
    }
    const nextMs = facts.nextAfter(Math.max(nowMs, seenMs));
    return nextMs === undefined ? LOOK_EVERY_MS : nextMs - clock.nowMs();
  }

  private async seenOf(facts: JobFacts): Promise<number> {
    const nowMs = this.parts.clock.nowMs();
    const known = this.seen.get(facts.name);
    if (known !== undefined && known <= nowMs + MAX_AHEAD_MS) return known;
    const state = await this.parts.runner.recordSchedule(facts.name, facts.isEnabled ? facts.schedule : null);
    const instants = [state.schedule?.since, state.scheduledFor].flatMap((text) => (text ? [Date.parse(text)] : []));
    // An instant far in the future must have been recorded while the clock was wrong.
    const seenMs = Math.max(0, ...instants.map((ms) => (ms <= nowMs + MAX_AHEAD_MS ? ms : nowMs)));
    this.seen.set(facts.name, seenMs);
    return seenMs;
  }

  private async start(jobName: string, dueMs: number): Promise<void> {
    const scheduledFor = new Date(dueMs).toISOString();
    const executionId = scheduledExecutionId(jobName, scheduledFor);
    const { logger, runner } = this.parts;
    try {
      const start = { executionId, trigger: 'SCHEDULE', triggeredBy: null, scheduledFor, parameters: {} } as const;
      await runner.start(jobName, start);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'JOB_ALREADY_RUNNING') throw error;
      logger.warn(
        { job: jobName, scheduledFor },
        'a job is still running at its next scheduled instant; skipping that instant',
      );
    }
  }
}

/** Name of the lease held by the single process that runs jobs. */
export const JOBS_LEASE = 'jobs';

/** A run that was in progress when a term began. */
type Leftover = {
  readonly job: Job;
  readonly executionId: string;
  readonly claim: { readonly runner: string; readonly term: number } | null;
};

/**
 * Delay before a run from a later term is marked as failed or continued. A suspended process may have lost its lease
 * without noticing. It notices the loss within Leadership's `giveUpAfterMs`, which is shorter than this delay. If this
 * process still leads after the delay, the later term originates from a lease store that no longer exists.
 */
const DOUBT_MS = 6_000;

/** While this process leads, starts jobs on their schedules and runs them. */
@Injectable()
export class JobLeader {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(EventCatalogue) private readonly catalogue: EventCatalogue,
    @Inject(CommandRunner) private readonly commands: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(JOBS) private readonly jobs: readonly Job[],
    @Inject(JOB_DIRECTORY) private readonly directory: JobDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Begins a term: takes over unclaimed and resumable runs, and marks other runs from earlier terms as failed.
   * @throws read errors from the event store, in which case the term has not begun
   */
  async begin(term: number, stale: AbortSignal): Promise<Led> {
    const { clock, ids, logger, commands, directory } = this;
    const after = await this.events.head();
    const leftovers = await this.leftovers();
    const requestAt = async (name: string, revision: number) => {
      const event = await eventAt(this.events, streamName(aggregate.name, PLATFORM_TENANT, name), revision);
      return event && this.catalogue.decode(event).metadata.requestId;
    };
    const runner = new JobRunner({ commands, clock, ids, logger, requestAt }, term);
    const ending = new AbortController();
    const signal = AbortSignal.any([stale, ending.signal]);
    const running = [
      ...leftovers.map((leftover) => this.settle(leftover, runner, term, signal)),
      this.follow(runner, after, signal),
      new JobScheduler({ directory, clock, logger, runner }).run(signal),
    ];
    return {
      stop: async () => {
        ending.abort();
        await runner.end();
        await Promise.all(running);
      },
    };
  }

  /** Returns the runs that, according to the jobs' streams, are in progress and not paused. */
  private async leftovers(): Promise<Leftover[]> {
    const states = await Promise.all(this.jobs.map(({ name }) => this.reader.read(aggregate, PLATFORM_TENANT, name)));
    return states.flatMap(({ state: { run } }, index) => {
      const job = this.jobs[index];
      return run && job && !run.isPaused ? [{ job, executionId: run.execution.executionId, claim: run.claim }] : [];
    });
  }

  private async settle(
    { job, executionId, claim }: Leftover,
    runner: JobRunner,
    term: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (claim && claim.term > term) await this.clock.sleep(DOUBT_MS, signal);
    if (!claim || job.isResumable) runner.take(job, executionId, claim?.runner);
    else await this.retry(signal, () => runner.abandon(job.name, executionId));
  }

  /** Takes over runs that are started or resumed after position `from`. Stops runs that have been paused or ended. */
  private async follow(runner: JobRunner, from: number, signal: AbortSignal): Promise<void> {
    const filter = { on: 'stream', prefixes: [streamName(aggregate.name, PLATFORM_TENANT, '')] } as const;
    let after = from;
    await this.retry(signal, async (gotOn) => {
      for await (const batch of this.events.subscribeToAll({ after, filter, signal })) {
        for (const event of batch.events) this.note(runner, event);
        after = batch.position;
        gotOn();
      }
      if (!signal.aborted) throw new Error('the subscription to jobs ended');
    });
  }

  private note(runner: JobRunner, event: RecordedEvent): void {
    // Unknown event types come from a newer release of the service, whose leader handles them.
    if (!Object.hasOwn(aggregate.events, event.type)) return;
    const { type, data, recordId } = this.catalogue.decode(event) as Recorded<JobEvent>;
    if (type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled') runner.noteEnd(data.executionId);
    if (type === 'JobPaused') runner.notePause(data.executionId);
    if (type !== 'JobStarted' && type !== 'JobResumed') return;
    const job = this.jobs.find(({ name }) => name === recordId);
    if (job) runner.take(job, data.executionId);
  }

  /** Retries the work until it succeeds or the term ends. */
  private async retry(signal: AbortSignal, work: (gotOn: () => void) => Promise<void>): Promise<void> {
    await retryForever(this.clock, signal, work, (error) => {
      this.logger.warn({ err: error }, 'the events of jobs could not be read; retrying');
    });
  }
}

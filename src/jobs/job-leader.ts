import { Inject, Injectable } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory } from '../queries/job-directory.js';
import { job as aggregate, type JobEvent } from '../aggregates/job.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { EventCatalogue, type Recorded } from '../eventsourcing/event-catalogue.js';
import type { Led } from '../projecting/leadership.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../ports/event-store.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { JobRunner } from './job-runner.js';
import { JobScheduler } from './job-scheduler.js';
import { JOBS, type Job } from './job.js';

/** Name of the lease of the single process that runs jobs. */
export const JOBS_LEASE = 'jobs';

/** A run in progress when a term began. `term`: the term of its claim; undefined if it is unclaimed. */
type Leftover = { readonly job: Job; readonly executionId: string; readonly term: number | undefined };

/**
 * Delay before failing a run of a later term. A leader that was paused may have lost its lease without noticing; it
 * notices within `giveUpAfterMs` of Leadership, which is shorter. If this process still leads after the delay, the
 * later term came from a lease store that no longer exists.
 */
const DOUBT_MS = 6_000;

/** Runs jobs and starts them on schedule while this process leads. */
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
   * Begins a term: fails runs claimed in other terms and takes unclaimed runs.
   * @throws read errors of the event store, in which case nothing has begun
   */
  async begin(term: number, stale: AbortSignal): Promise<Led> {
    const { clock, ids, logger, commands, directory } = this;
    const after = await this.events.head();
    const leftovers = await this.leftovers();
    const runner = new JobRunner({ commands, clock, ids, logger }, term);
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

  /** Runs in progress, according to the jobs' streams. */
  private async leftovers(): Promise<Leftover[]> {
    const states = await Promise.all(this.jobs.map(({ name }) => this.reader.read(aggregate, PLATFORM_TENANT, name)));
    return states.flatMap(({ state: { run } }, index) => {
      const job = this.jobs[index];
      return run && job ? [{ job, executionId: run.execution.executionId, term: run.claim?.term }] : [];
    });
  }

  private async settle(
    { job, executionId, term: claimedIn }: Leftover,
    runner: JobRunner,
    term: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (claimedIn === undefined) {
      runner.take(job, executionId);
      return;
    }
    if (claimedIn > term) await this.clock.sleep(DOUBT_MS, signal);
    await this.retry(signal, () => runner.abandon(job.name, executionId));
  }

  /** Takes runs that start after `from`, and stops runs whose end another process recorded. */
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
    // Unknown event types come from a newer version of the service, whose leader handles them.
    if (!Object.hasOwn(aggregate.events, event.type)) return;
    const { type, data, recordId } = this.catalogue.decode(event) as Recorded<JobEvent>;
    if (type === 'JobSucceeded' || type === 'JobFailed') runner.noteEnd(data.executionId);
    if (type !== 'JobStarted') return;
    const job = this.jobs.find(({ name }) => name === recordId);
    if (job) runner.take(job, data.executionId);
  }

  /** Retries until it succeeds or the term is over. */
  private async retry(signal: AbortSignal, work: (gotOn: () => void) => Promise<void>): Promise<void> {
    await retryForever(this.clock, signal, work, (error) => {
      this.logger.warn({ err: error }, 'jobs cannot be followed; retrying');
    });
  }
}

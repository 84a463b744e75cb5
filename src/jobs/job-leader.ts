import { Inject, Injectable } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory } from '../aggregates/job-directory.js';
import { job as aggregate, recordSchedule, type JobEvent, type JobState } from '../aggregates/job.aggregate.js';
import { isTransient } from '../patience.js';
import { CommandRunner } from '../platform/command-runner.js';
import { asService } from '../platform/context.js';
import { EventCatalogue, type Recorded } from '../platform/event-catalogue.js';
import type { Led } from '../platform/leadership.js';
import { persistently } from '../platform/persistently.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT, streamName } from '../platform/stream-name.js';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../ports/event-store.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { JobRunner } from './job-runner.js';
import { JobScheduler } from './job-scheduler.js';
import type { Job } from './job.js';
import { JOBS } from './jobs.js';

/** Name of the lease of the one process that runs jobs. */
export const JOBS_LEASE = 'jobs';

/** A run that was under way when a term began; `term`: that of its claim, undefined where nobody has begun with it. */
type Leftover = { readonly job: Job; readonly executionId: string; readonly term: number | undefined };

/**
 * A leader that was paused and does not know yet that it leads no longer finds runs of a later term. Longer than such a
 * leader takes to notice (`giveUpAfterMs` of Leadership); after it the later term was one of a lease store that is gone.
 */
const DOUBT_MS = 6_000;

/** Runs jobs, and starts them by their schedules, while this process leads. */
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
   * Begins a term. Runs that other terms had begun with are marked as failed; those that wait are done.
   * @throws what reading the event store throws: nothing has begun then
   */
  async begin(term: number, stale: AbortSignal): Promise<Led> {
    const { clock, ids, logger, commands } = this;
    const after = await this.events.head();
    const leftovers = await this.leftovers();
    const runner = new JobRunner({ commands, clock, ids, logger, isTransient }, term);
    const ending = new AbortController();
    const signal = AbortSignal.any([stale, ending.signal]);
    const running = [
      ...leftovers.map((leftover) => this.settle(leftover, runner, term, signal)),
      this.follow(runner, after, signal),
      this.schedule(runner, signal),
    ];
    return {
      stop: async () => {
        ending.abort();
        await runner.end();
        await Promise.all(running);
      },
    };
  }

  /** Runs that are under way as the streams say. */
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
    await this.persistently(signal, () => runner.abandon(job.name, executionId));
  }

  /** Takes what is started from now on, and lets go what somebody else has ended. */
  private async follow(runner: JobRunner, from: number, signal: AbortSignal): Promise<void> {
    const filter = { on: 'stream', prefixes: [streamName(aggregate.name, PLATFORM_TENANT, '')] } as const;
    let after = from;
    await this.persistently(signal, async (gotOn) => {
      for await (const batch of this.events.subscribeToAll({ after, filter, signal })) {
        for (const event of batch.events) this.note(runner, event);
        after = batch.position;
        gotOn();
      }
      if (!signal.aborted) throw new Error('the subscription to jobs ended');
    });
  }

  private note(runner: JobRunner, event: RecordedEvent): void {
    // What a newer version of the service has written is for its own leader.
    if (!Object.hasOwn(aggregate.events, event.type)) return;
    const { type, data, recordId } = this.catalogue.decode(event) as Recorded<JobEvent>;
    if (type === 'JobSucceeded' || type === 'JobFailed') runner.noteEnd(data.executionId);
    if (type !== 'JobStarted') return;
    const job = this.jobs.find(({ name }) => name === recordId);
    if (job) runner.take(job, data.executionId);
  }

  private schedule(runner: JobRunner, signal: AbortSignal): Promise<void> {
    const { directory, clock, logger } = this;
    const scheduler = new JobScheduler({
      ...{ directory, clock, logger },
      recordSchedule: (jobName, pattern) => this.recordSchedule(jobName, pattern),
      start: (jobName, start) => runner.start(jobName, start),
    });
    return scheduler.run(signal);
  }

  private async recordSchedule(jobName: string, pattern: string | null): Promise<JobState> {
    const own = { tenantId: PLATFORM_TENANT, name: 'jobs', commandId: this.ids.next() };
    const target = { tenantId: PLATFORM_TENANT, id: jobName };
    const change = () => this.commands.execute(aggregate, target, { pattern }, recordSchedule);
    return (await asService(own, change)).state;
  }

  /** Again and again until it is done or the term is over. */
  private async persistently(signal: AbortSignal, work: (gotOn: () => void) => Promise<void>): Promise<void> {
    await persistently(this.clock, signal, work, (error) => {
      this.logger.warn({ err: error }, 'the jobs could not be followed; it is tried again');
    });
  }
}

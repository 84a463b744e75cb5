import {
  abandonRun,
  claimRun,
  finishRun,
  isHeldBy,
  job as aggregate,
  reportProgress,
  startJob,
  type JobEnd,
  type JobEvent,
  type JobStart,
  type JobState,
} from '../aggregates/job.aggregate.js';
import type { Decision } from '../platform/aggregate.js';
import type { CommandRunner, Executed } from '../platform/command-runner.js';
import { asService } from '../platform/context.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import type { Job } from './job.js';
import { ProgressReports } from './progress-reports.js';

export type RunnerParts = {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Whether a fault may pass by itself. */
  readonly isTransient: (error: unknown) => boolean;
};

/** A run in this process. */
type Work = { readonly abort: AbortController; readonly done: Promise<void> };

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** How long a run that is told to end may take, and how long its end may take to be recorded then. */
const END_WITHIN_MS = 2_000;
const RECORD_WITHIN_MS = 1_500;
const MAX_ERROR_LENGTH = 2_000;

export const ENDED_EARLY = 'The run was ended: its process stops, or does not lead in jobs any more.';
export const PROCESS_GONE = 'The process that did the run is gone.';
const TAKEN = 'The run was ended by another process.';

/**
 * Does the runs of jobs during one term of leading, those that it could claim on the job's stream. What it does counts as
 * long as the stream says that the run is its own.
 */
export class JobRunner {
  private readonly runner: string;
  private readonly works = new Map<string, Work>();
  private isEnding = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly term: number,
  ) {
    this.runner = parts.ids.next();
  }

  /** @throws DomainError conflict JOB_ALREADY_RUNNING; what an append throws. False where it was started already. */
  async start(jobName: string, start: JobStart): Promise<boolean> {
    // The same for two leaders at once, whose events are then the same, too.
    const { events } = await this.change(jobName, start.executionId, start, startJob, start.executionId);
    return events.length > 0;
  }

  /** Does the run, unless it is over, or another has it. Resolves at once. */
  take(job: Job, executionId: string): void {
    if (this.isEnding || this.works.has(executionId)) return;
    const abort = new AbortController();
    const done = this.work(job, executionId, abort.signal)
      .catch((error: unknown) => {
        this.parts.logger.error({ err: error, job: job.name, executionId }, 'the run of a job was given up');
      })
      .finally(() => this.works.delete(executionId));
    this.works.set(executionId, { abort, done });
  }

  /** Marks a run whose process is gone as failed. @throws what an append throws */
  async abandon(jobName: string, executionId: string): Promise<void> {
    const { events } = await this.change(jobName, executionId, { executionId, error: PROCESS_GONE }, abandonRun);
    if (events.length > 0) this.parts.logger.warn({ job: jobName, executionId }, PROCESS_GONE);
  }

  /** Somebody recorded the end of a run: if it is under way here it is stopped. */
  noteEnd(executionId: string): void {
    this.works.get(executionId)?.abort.abort(new Error(TAKEN));
  }

  /** Ends all runs and records it, within some seconds. */
  async end(): Promise<void> {
    this.isEnding = true;
    const reason = new Error(ENDED_EARLY);
    for (const { abort } of this.works.values()) abort.abort(reason);
    await Promise.all([...this.works.values()].map(({ done }) => done));
  }

  private async work(job: Job, executionId: string, signal: AbortSignal): Promise<void> {
    const me = { executionId, runner: this.runner };
    const claim = () => this.change(job.name, executionId, { ...me, term: this.term }, claimRun);
    const { state } = (await this.untilStored(claim, signal, 0)) ?? {};
    if (!state?.run || !isHeldBy(state, me)) return;
    const { logger } = this.parts;
    logger.info({ job: job.name, executionId }, 'a job runs');
    const end = await this.run(job, executionId, state.run.parameters, signal);
    const record = () => this.change(job.name, executionId, { ...me, end }, finishRun);
    const recorded = await this.untilStored(record, signal, RECORD_WITHIN_MS);
    const told = { job: job.name, executionId, status: end.status, ...(end.status === 'FAILED' && { why: end.error }) };
    if (!recorded) logger.error(told, 'the end of a job could not be recorded');
    else if (recorded.events.length === 0) logger.warn(told, 'a job ended that was not this process’s any more');
    else if (end.status === 'FAILED') logger.error(told, 'a job failed');
    else logger.info(told, 'a job ended');
  }

  private async run(job: Job, executionId: string, given: unknown, signal: AbortSignal): Promise<JobEnd> {
    const { clock, logger } = this.parts;
    const reports = new ProgressReports({
      clock,
      logger,
      record: (report) => this.record(job.name, executionId, report),
    });
    const failed = (error: string): JobEnd => {
      const { progress = 0, message = null } = reports.latest ?? {};
      return { status: 'FAILED', error, progress, message };
    };
    const ended = (async (): Promise<JobEnd> => {
      try {
        const parameters = job.parameters.parse(given);
        const report = (progress: number, message: string) => {
          reports.report(progress, message);
        };
        const { message, artifact } = await this.within(executionId, () =>
          job.run({ executionId, parameters, signal, report }),
        );
        return { status: 'SUCCEEDED', message, artifact: artifact ?? null };
      } catch (error) {
        return failed(reasonOf(signal.aborted ? signal.reason : error));
      }
    })();
    const over = new AbortController();
    const overdue = this.overdue(signal, over.signal).then(() => failed(reasonOf(signal.reason)));
    const end = await Promise.race([ended, overdue]);
    over.abort();
    await reports.end();
    return end;
  }

  /** Resolves when a run that was told to end has had its time, or when it is over. */
  private async overdue(told: AbortSignal, over: AbortSignal): Promise<void> {
    await whenAborted(AbortSignal.any([told, over]));
    await this.parts.clock.sleep(END_WITHIN_MS, over);
  }

  private async record(jobName: string, executionId: string, report: { progress: number; message: string }) {
    const data = { executionId, runner: this.runner, ...report };
    const { state } = await this.change(jobName, executionId, data, reportProgress);
    if (!isHeldBy(state, data)) this.noteEnd(executionId);
  }

  /** Again while the engine is away; once the signal has aborted, for `lateMs` more. Undefined where it is given up. */
  private async untilStored<T>(write: () => Promise<T>, signal: AbortSignal, lateMs: number): Promise<T | undefined> {
    const { clock } = this.parts;
    const late = new AbortController();
    const giveUp = whenAborted(signal).then(() => clock.sleep(lateMs, late.signal));
    const state = { isGivenUp: signal.aborted && lateMs === 0 };
    void giveUp.then(() => (state.isGivenUp = true));
    try {
      for (let pauseMs = FIRST_PAUSE_MS; !state.isGivenUp; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
        const stored = await this.unlessAway(write);
        if (stored) return stored.value;
        await (signal.aborted ? clock.sleep(FIRST_PAUSE_MS) : clock.sleep(pauseMs, signal));
      }
      return undefined;
    } finally {
      late.abort();
    }
  }

  private async unlessAway<T>(write: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    try {
      return { value: await write() };
    } catch (error) {
      if (!this.parts.isTransient(error)) throw error;
      this.parts.logger.warn({ err: error }, 'what a job is about cannot be recorded now; it is tried again');
      return undefined;
    }
  }

  private change<D>(
    jobName: string,
    executionId: string,
    data: D,
    decide: Decision<JobState, D, JobEvent>,
    commandId = this.parts.ids.next(),
  ): Promise<Executed<JobState, JobEvent>> {
    const target = { tenantId: PLATFORM_TENANT, id: jobName };
    return this.within(executionId, () => this.parts.commands.execute(aggregate, target, data, decide), commandId);
  }

  private within<T>(executionId: string, work: () => T, commandId = this.parts.ids.next()): T {
    return asService({ tenantId: PLATFORM_TENANT, name: 'jobs', requestId: executionId, commandId }, work);
  }
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.slice(0, MAX_ERROR_LENGTH);
}

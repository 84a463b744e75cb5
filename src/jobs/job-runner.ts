import { abandonRun } from '../aggregates/job-control.js';
import {
  claimRun,
  finishRun,
  isHeldBy,
  job as aggregate,
  type JobEnd,
  type JobEvent,
  type JobStart,
  type JobState,
  type ProgressReport,
  recordSchedule,
  reportProgress,
  startJob,
} from '../aggregates/job.aggregate.js';
import type { Decision } from '../eventsourcing/aggregate.js';
import type { CommandRunner, Executed } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { isTransient } from '../eventsourcing/transient-errors.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import { ProgressReports } from './job-progress.js';
import type { Job } from './job.js';

export type RunnerParts = {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Returns the request that started a run, given the revision of the run's first event in the job's stream. */
  readonly requestAt: (jobName: string, revision: number) => Promise<string | undefined>;
};

type Given = { readonly parameters: unknown; readonly checkpoint?: unknown };
/** A run in progress in this process. */
type Work = { readonly abort: AbortController; readonly done: Promise<void> };

/** Time limits for stopping a run, and then for recording its end. */
const END_WITHIN_MS = 2_000;
const RECORD_WITHIN_MS = 1_500;
const MAX_ERROR_LENGTH = 2_000;

export const ENDED_EARLY = 'The run was stopped because its process is shutting down or no longer leads the jobs.';
export const PROCESS_GONE = 'The process that executed the run no longer exists.';
const TAKEN = 'Another process ended the run.';
const PAUSED = 'The run was paused.';

/**
 * Executes job runs during one term of leadership. Claims each run in the job's stream. A runner's results are accepted
 * only while the stream names it as the run's runner.
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

  /** Returns false if the run was already started. @throws DomainError conflict JOB_ALREADY_RUNNING; append errors */
  async start(jobName: string, start: JobStart): Promise<boolean> {
    // The execution id serves as the command id, so that two concurrent leaders append identical events.
    const { events } = await this.change(jobName, start.executionId, start, startJob, start.executionId);
    return events.length > 0;
  }

  /** Records the schedule in the job's stream. Returns the resulting state. */
  async recordSchedule(jobName: string, pattern: string | null): Promise<JobState> {
    return (await this.change(jobName, undefined, { pattern }, recordSchedule)).state;
  }

  /**
   * Starts or continues the run in the background, unless it has ended or another process is its runner. `instead`: the
   * previous runner, whose process has ended.
   */
  take(job: Job, executionId: string, instead?: string): void {
    const before = this.works.get(executionId);
    if (this.isEnding || (before && !before.abort.signal.aborted)) return;
    const abort = new AbortController();
    const work: Work = {
      abort,
      // Earlier work on the run may not have ended yet after a pause.
      done: (before?.done ?? Promise.resolve())
        .then(() => this.work(job, { executionId, instead }, abort.signal))
        .catch((error: unknown) => {
          this.parts.logger.error({ err: error, job: job.name, executionId }, 'the run of a job was abandoned');
        })
        .finally(() => {
          if (this.works.get(executionId) === work) this.works.delete(executionId);
        }),
    };
    this.works.set(executionId, work);
  }

  /** Marks a run as failed, because its process no longer exists. @throws append errors */
  async abandon(jobName: string, executionId: string): Promise<void> {
    const { events, state } = await this.change(jobName, executionId, { executionId, error: PROCESS_GONE }, abandonRun);
    if (events.length === 0) return;
    const requestId = await this.requestOf(jobName, executionId, state);
    this.parts.logger.warn({ job: jobName, executionId, requestId }, PROCESS_GONE);
  }

  /** Stops the run if this process is executing it. Called when another process has recorded the run's end. */
  noteEnd(executionId: string): void {
    this.works.get(executionId)?.abort.abort(new Error(TAKEN));
  }

  /** Called when a pause has been recorded. Stops work on the run, which later continues from its last checkpoint. */
  notePause(executionId: string): void {
    this.works.get(executionId)?.abort.abort(new Error(PAUSED));
  }

  /** Stops all runs within a few seconds, and records the end of each run that cannot continue elsewhere. */
  async end(): Promise<void> {
    this.isEnding = true;
    const reason = new Error(ENDED_EARLY);
    for (const { abort } of this.works.values()) abort.abort(reason);
    await Promise.all([...this.works.values()].map(({ done }) => done));
  }

  private async work(
    job: Job,
    { executionId, instead }: { readonly executionId: string; readonly instead: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const me = { executionId, runner: this.runner };
    const claim = () => this.change(job.name, executionId, { ...me, term: this.term, instead }, claimRun);
    const { state } = (await this.untilStored(claim, signal)) ?? {};
    if (!state?.run || !isHeldBy(state, me)) return;
    const { logger } = this.parts;
    logger.info({ job: job.name, executionId }, 'a job started');
    const end = await this.run(job, executionId, state.run, signal);
    if (continuesLater(job, end, signal)) return;
    const record = () => this.change(job.name, executionId, { ...me, end }, finishRun);
    const recorded = await this.untilStored(record, signal, RECORD_WITHIN_MS);
    const told = { job: job.name, executionId, status: end.status, ...reasonIn(end) };
    const failed = async () => {
      const requestId = await this.requestOf(job.name, executionId, state);
      return { ...told, requestId, path: `/console/jobs/${job.name}?run=${executionId}` };
    };
    if (!recorded) logger.error(await failed(), 'the outcome of a job could not be recorded');
    else if (recorded.events.length === 0) logger.warn(told, 'a job ended after another process had ended its run');
    else if (end.status === 'FAILED') logger.error(await failed(), 'a job failed');
    else logger.info(told, 'a job ended');
  }

  /** Returns the id of the request that started the run. The id of a scheduled run is also its request id. */
  private async requestOf(jobName: string, executionId: string, { manual }: JobState): Promise<string> {
    const start = manual.find(({ id }) => id === executionId);
    const asked = start && (await this.parts.requestAt(jobName, start.revision).catch(() => undefined));
    return asked ?? executionId;
  }

  private async run(job: Job, executionId: string, given: Given, signal: AbortSignal): Promise<JobEnd> {
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
        const parameters = job.parameters.parse(given.parameters);
        const { checkpoint } = given;
        const report = (progress: number, message: string) => {
          reports.report(progress, message);
        };
        const save = async (report: ProgressReport) => {
          await this.untilStored(() => this.record(job.name, executionId, report), signal, RECORD_WITHIN_MS);
        };
        const { message, artifact } = await this.within(executionId, () =>
          job.run({ executionId, parameters, signal, report, checkpoint, save }),
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

  /** Resolves when a stopped run has exceeded END_WITHIN_MS, or when `over` aborts. */
  private async overdue(told: AbortSignal, over: AbortSignal): Promise<void> {
    await whenAborted(AbortSignal.any([told, over]));
    await this.parts.clock.sleep(END_WITHIN_MS, over);
  }

  private async record(jobName: string, executionId: string, report: ProgressReport) {
    const data = { executionId, runner: this.runner, ...report };
    const { state } = await this.change(jobName, executionId, data, reportProgress);
    if (!isHeldBy(state, data)) this.noteEnd(executionId);
  }

  /**
   * Retries after transient errors until the signal aborts, and then for another `lateMs` milliseconds. Returns
   * undefined if it gives up.
   */
  private async untilStored<T>(write: () => Promise<T>, signal: AbortSignal, lateMs = 0): Promise<T | undefined> {
    const { clock, logger } = this.parts;
    const attempt = async () => {
      try {
        return { value: await write() };
      } catch (error) {
        if (isTransient(error)) throw error;
        return { error };
      }
    };
    const complain = (error: unknown) => {
      logger.warn({ err: error }, 'the state of a job could not be recorded; retrying');
    };
    const [late, over] = [new AbortController(), new AbortController()];
    const sleeping = whenAborted(signal).then(() => clock.sleep(lateMs, late.signal));
    void sleeping.then(() => {
      over.abort();
    });
    let stored = await retryForever(clock, signal, attempt, complain);
    if (!stored && lateMs > 0) stored = await retryForever(clock, over.signal, attempt, complain);
    late.abort();
    if (stored && 'error' in stored) throw stored.error;
    return stored?.value;
  }

  private change<D>(
    jobName: string,
    executionId: string | undefined,
    data: D,
    decide: Decision<JobState, D, JobEvent>,
    commandId = this.parts.ids.next(),
  ): Promise<Executed<JobState, JobEvent>> {
    const target = { tenantId: PLATFORM_TENANT, id: jobName };
    return this.within(executionId, () => this.parts.commands.execute(aggregate, target, data, decide), commandId);
  }

  private within<T>(requestId: string | undefined, work: () => T, commandId = this.parts.ids.next()): T {
    const own = { tenantId: PLATFORM_TENANT, name: 'jobs', commandId };
    return asService({ ...own, ...(requestId !== undefined && { requestId }) }, work);
  }
}

/** Whether the run was stopped before its end and will continue from its checkpoint. */
const continuesLater = ({ isResumable }: Job, { status }: JobEnd, { aborted }: AbortSignal): boolean =>
  isResumable === true && aborted && status === 'FAILED';

const reasonIn = (end: JobEnd): { readonly reason?: string } => (end.status === 'FAILED' ? { reason: end.error } : {});

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

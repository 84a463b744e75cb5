import type { JobDirectory, JobFacts } from '../aggregates/job-directory.js';
import { MAX_AHEAD_MS, scheduledExecutionId, type JobStart, type JobState } from '../aggregates/job.aggregate.js';
import { DomainError } from '../platform/domain-error.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

export type SchedulerParts = {
  readonly directory: JobDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The job as its stream says, after its schedule was recorded there. */
  readonly recordSchedule: (jobName: string, pattern: string | null) => Promise<JobState>;
  /** False where a run was started for that instant already. @throws DomainError conflict JOB_ALREADY_RUNNING */
  readonly start: (jobName: string, start: JobStart) => Promise<boolean>;
};

/** The wall clock may jump: it is looked at at least this often. */
const LOOK_EVERY_MS = 10_000;
const RETRY_MS = 2_000;

/**
 * Starts jobs at the instants of their schedules, UTC. Each instant starts one run at most, whatever the clock does and
 * however many schedulers there are: the job's stream remembers the last one. Of instants that have passed unseen (the
 * service was down, the clock was set forward) the last one alone is made up for, and none from before the schedule was
 * first seen.
 */
export class JobScheduler {
  /** The last instant of each job that needs nothing any more, milliseconds since 1970. */
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
          logger.warn({ err: error, job: facts.name }, 'a job could not be started by its schedule; it is tried again');
          waitMs = Math.min(waitMs, RETRY_MS);
        }
      }
      await clock.sleep(Math.max(1, waitMs), signal);
    }
  }

  /** Starts what is due; answers for how long nothing will be. */
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
    const state = await this.parts.recordSchedule(facts.name, facts.isEnabled ? facts.schedule : null);
    const instants = [state.schedule?.since, state.scheduledFor].flatMap((text) => (text ? [Date.parse(text)] : []));
    // One that lies far ahead was recorded by a clock that was wrong.
    const seenMs = Math.max(0, ...instants.map((ms) => (ms <= nowMs + MAX_AHEAD_MS ? ms : nowMs)));
    this.seen.set(facts.name, seenMs);
    return seenMs;
  }

  private async start(jobName: string, dueMs: number): Promise<void> {
    const scheduledFor = new Date(dueMs).toISOString();
    const executionId = scheduledExecutionId(jobName, scheduledFor);
    const { logger, start } = this.parts;
    try {
      await start(jobName, {
        ...{ executionId, trigger: 'SCHEDULE', triggeredBy: null },
        ...{ scheduledFor, parameters: {} },
      });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'JOB_ALREADY_RUNNING') throw error;
      logger.warn({ job: jobName, scheduledFor }, 'a job still runs at its next time, which is left out');
    }
  }
}

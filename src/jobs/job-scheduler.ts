import type { JobDirectory, JobFacts } from '../queries/job-directory.js';
import { MAX_AHEAD_MS, scheduledExecutionId } from '../aggregates/job.aggregate.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { JobRunner } from './job-runner.js';

type SchedulerParts = {
  readonly directory: JobDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runner: Pick<JobRunner, 'recordSchedule' | 'start'>;
};

/** Maximum interval between looks at the wall clock, which may jump. */
const LOOK_EVERY_MS = 10_000;
const RETRY_MS = 2_000;

/**
 * Starts jobs at the instants of their schedules, in UTC. The job's stream stores the last started instant, so each
 * instant starts at most one run despite clock changes or concurrent schedulers. After missed instants (downtime, a
 * clock set forward) only the last one is made up for, and none from before the schedule was first recorded.
 */
export class JobScheduler {
  /** Last handled instant of each job, in milliseconds since 1970. */
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

  /** Starts the job if it is due. Returns the milliseconds until its next instant. */
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
    // An instant far in the future was recorded under a wrong clock.
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
      logger.warn({ job: jobName, scheduledFor }, 'a job is still running at its next instant, which is skipped');
    }
  }
}

import { z } from 'zod';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../../src/queries/operation.queries.js';
import { Schedule } from '../../src/jobs/job-schedules.js';
import { JOBS, type Job, type JobOutcome, type JobRun } from '../../src/jobs/job.js';
import type { TestService } from './service.js';

type Under = {
  readonly run: JobRun;
  readonly finish: (outcome: JobOutcome) => void;
  readonly fail: (error: Error) => void;
};

/** A job that runs until a test ends it. */
export class ToyJob implements Job {
  readonly description = 'Does what a test says.';
  readonly parameters = z.strictObject({ note: z.string().max(5).optional(), rooms: z.array(z.string()).optional() });
  /** All runs started so far, oldest first. */
  readonly runs: Under[] = [];
  readonly isResumable?: true;
  /** Whether a run ends when it receives the signal to stop. */
  heedsItsSignal = true;

  constructor(
    readonly name = 'toy',
    readonly schedule = '0 3 * * *',
    isResumable = false,
  ) {
    if (isResumable) this.isResumable = true;
  }

  run(run: JobRun): Promise<JobOutcome> {
    return new Promise((finish, fail) => {
      this.runs.push({ run, finish, fail });
      run.signal.addEventListener('abort', () => {
        if (this.heedsItsSignal) fail(new Error('told to end'));
      });
    });
  }

  /** The latest run. @throws Error if no run has started */
  get latest(): Under {
    const latest = this.runs.at(-1);
    if (!latest) throw new Error(`No run of ${this.name} has begun`);
    return latest;
  }
}

export function factsOf(job: ToyJob, isEnabled = true): JobFacts {
  const schedule = new Schedule(job.schedule);
  return {
    ...{ name: job.name, description: job.description, parameters: job.parameters },
    ...{ schedule: job.schedule, isEnabled, canPause: job.isResumable === true },
    nextAfter: (ms) => schedule.after(ms),
    lastUpTo: (ms) => schedule.upTo(ms),
  };
}

/** A job in a running service. @throws Error if there is no job with that name */
export function jobOf({ service: { app } }: TestService, name: string): Job {
  const found = app.get<readonly Job[]>(JOBS).find((job) => job.name === name);
  if (!found) throw new Error(`There is no job ${name}`);
  return found;
}

/** Adds a job without a schedule to a running service. */
export function addJob<J extends ToyJob>({ service: { app } }: TestService, job: J): J {
  app.get<Job[]>(JOBS).push(job);
  (app.get<JobDirectory>(JOB_DIRECTORY).jobs as Map<string, JobFacts>).set(job.name, factsOf(job, false));
  return job;
}

import { z } from 'zod';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../../src/aggregates/job-directory.js';
import type { Job, JobOutcome, JobRun } from '../../src/jobs/job.js';
import { JOBS } from '../../src/jobs/jobs.js';
import { Schedule } from '../../src/jobs/schedule.js';
import type { TestService } from './service.js';

type Under = {
  readonly run: JobRun;
  readonly finish: (outcome: JobOutcome) => void;
  readonly fail: (error: Error) => void;
};

/** A job that ends when the test says so. */
export class ToyJob implements Job {
  readonly description = 'Does what a test says.';
  readonly parameters = z.strictObject({ note: z.string().max(5).optional(), rooms: z.array(z.string()).optional() });
  /** Every run that has begun, oldest first. */
  readonly runs: Under[] = [];
  /** Whether a run that is told to end does so. */
  heedsItsSignal = true;

  constructor(
    readonly name = 'toy',
    readonly schedule = '0 3 * * *',
  ) {}

  run(run: JobRun): Promise<JobOutcome> {
    return new Promise((finish, fail) => {
      this.runs.push({ run, finish, fail });
      run.signal.addEventListener('abort', () => {
        if (this.heedsItsSignal) fail(new Error('told to end'));
      });
    });
  }

  /** The latest run. @throws Error when none has begun */
  get latest(): Under {
    const latest = this.runs.at(-1);
    if (!latest) throw new Error(`No run of ${this.name} has begun`);
    return latest;
  }
}

export function factsOf(job: Job, isEnabled = true): JobFacts {
  const schedule = new Schedule(job.schedule);
  return {
    ...{ name: job.name, description: job.description, parameters: job.parameters },
    ...{ schedule: job.schedule, isEnabled },
    nextAfter: (ms) => schedule.after(ms),
    lastUpTo: (ms) => schedule.upTo(ms),
  };
}

/** Gives a running service one more job, which no schedule starts. */
export function addJob<J extends Job>({ service: { app } }: TestService, job: J): J {
  app.get<Job[]>(JOBS).push(job);
  (app.get<JobDirectory>(JOB_DIRECTORY).jobs as Map<string, JobFacts>).set(job.name, factsOf(job, false));
  return job;
}

import type { z } from 'zod';
import { token } from '../ports/token.js';

export const JOB_DIRECTORY = token<JobDirectory>('JOB_DIRECTORY');

/** Static facts of a job, apart from its runs. */
export type JobFacts = {
  readonly name: string;
  readonly description: string;
  /** Cron pattern, in UTC. */
  readonly schedule: string;
  /** Whether the schedule starts the job. Operators may always trigger it. */
  readonly isEnabled: boolean;
  readonly parameters: z.ZodType;
  /** The next scheduled instant after `afterMs`, in milliseconds since 1970; undefined if there is none. */
  readonly nextAfter: (afterMs: number) => number | undefined;
  /** The last scheduled instant at or before `atMs`. */
  readonly lastUpTo: (atMs: number) => number | undefined;
};

/** The jobs of the service, as configured. */
export interface JobDirectory {
  /** Jobs by name. */
  readonly jobs: ReadonlyMap<string, JobFacts>;
}

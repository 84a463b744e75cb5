import type { z } from 'zod';

export const JOB_DIRECTORY = Symbol('JOB_DIRECTORY');

/** What is known of a job beside its runs. */
export type JobFacts = {
  readonly name: string;
  readonly description: string;
  /** Cron pattern, in UTC. */
  readonly schedule: string;
  /** Whether the schedule starts it; operators may trigger it in any case. */
  readonly isEnabled: boolean;
  readonly parameters: z.ZodType;
  /** The next instant of the schedule after `afterMs`, milliseconds since 1970; undefined where there is none. */
  readonly nextAfter: (afterMs: number) => number | undefined;
  /** The last instant of the schedule that is not after `atMs`. */
  readonly lastUpTo: (atMs: number) => number | undefined;
};

/** The jobs that there are, as the settings have them. */
export interface JobDirectory {
  /** By name. */
  readonly jobs: ReadonlyMap<string, JobFacts>;
}

import type { z } from 'zod';

/** One run of a job, as the job sees it. */
export type JobRun<Parameters = unknown> = {
  /** Id of the execution: names what it leaves behind. */
  readonly executionId: string;
  /** Checked by the job's schema. */
  readonly parameters: Parameters;
  /** Aborts when the run is to end early: the process stops, or leads no longer. */
  readonly signal: AbortSignal;
  /** Tells how far it is; `progress` is 0–100. May be called as often as is convenient: not every call is recorded. */
  readonly report: (progress: number, message: string) => void;
};

/** A file that a run has left. */
export type JobArtifact = {
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
};

export type JobOutcome = {
  /** What was done, in a sentence for operators. */
  readonly message: string;
  readonly artifact?: JobArtifact;
};

/** Work that operators trigger and the scheduler starts; one run of a job at a time over all replicas. */
export interface Job {
  /** Lower case with hyphens; for ever. */
  readonly name: string;
  readonly description: string;
  /** Cron pattern in UTC, unless the settings say otherwise. */
  readonly schedule: string;
  /** What TriggerJobDto's `parameters` may be; must accept `{}`, as scheduled runs give it. */
  readonly parameters: z.ZodType;
  /** @throws Error whose message tells operators why the run failed */
  run(run: JobRun): Promise<JobOutcome>;
}

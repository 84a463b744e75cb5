import type { z } from 'zod';
import { FORWARDER, forwarder, type Forwarder, type Rewind, rewindMarks } from '../aggregates/forwarder.aggregate.js';
import { job, type JobState } from '../aggregates/job.aggregate.js';
import type { ExecutionLog } from '../aggregates/job-execution.js';
import { POLICY_NAMES, policy } from '../aggregates/policy.aggregate.js';
import { BackupArchive } from '../backup/backup-archive.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { QueueBoard } from '../observability/queue-board.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import { PLATFORM } from '../ports/read-store.js';
import { CLOCK } from '../ports/time.js';
import { token } from '../ports/token.js';
import { MARKS, type Marks } from '../projecting/marks.js';
import { type ProjectionState, ProjectionStatus } from '../projecting/projection-status.js';
import { jobExecutions, type JobExecutionView } from '../projections/job-execution.projection.js';
import { CaughtUp } from './caught-up.js';
import { listFrom, ReadModels } from './query.js';

export const JOB_DIRECTORY = token<JobDirectory>('JOB_DIRECTORY');

/** The properties of a job that do not depend on its runs. */
export type JobFacts = {
  readonly name: string;
  readonly description: string;
  /** Cron pattern, in UTC. Empty if the job runs only on request. */
  readonly schedule: string;
  /** Whether the schedule starts the job. Operators may always trigger it. */
  readonly isEnabled: boolean;
  readonly parameters: z.ZodType;
  /** Whether a run can be paused. */
  readonly canPause?: boolean;
  /**
   * Returns the next scheduled instant after `afterMs`, both in milliseconds since 1970; undefined if there is none.
   */
  readonly nextAfter: (afterMs: number) => number | undefined;
  /** Returns the last scheduled instant at or before `atMs`. */
  readonly lastUpTo: (atMs: number) => number | undefined;
};

/** The jobs of the service, as configured. */
export interface JobDirectory {
  /** Jobs by name. */
  readonly jobs: ReadonlyMap<string, JobFacts>;
}

export type JobRecord = {
  readonly name: string;
  readonly description: string;
  readonly schedule: string;
  readonly isEnabled: boolean;
  readonly isRunning: boolean;
  readonly nextRunAt: string | null;
  readonly lastExecution: JobExecutionView | null;
};

export class ListJobs extends query<readonly JobRecord[]>() {}
export class ListJobExecutions extends listFrom(jobExecutions) {}
export class GetJobExecution extends query<JobExecutionView, [id: string]>() {}

/** A run as returned by the API. */
export const executionViewOf = (jobName: string, log: ExecutionLog): JobExecutionView => ({ ...log, jobName });

/** Whether a file no longer exists. */
type IsGone = (fileName: string) => boolean;

/** Omits a removed artifact. Newer backups replace older ones. */
const withoutGone = (run: JobExecutionView, isGone: IsGone): JobExecutionView =>
  run.artifact && isGone(run.artifact.fileName) ? { ...run, artifact: null } : run;

/** Returns a job's state at `nowMs`, in milliseconds since 1970. */
export function jobRecordOf(facts: JobFacts, { run, last }: JobState, nowMs: number, isGone: IsGone): JobRecord {
  const { name, description, schedule, isEnabled } = facts;
  const nextMs = isEnabled ? facts.nextAfter(nowMs) : undefined;
  return {
    ...{ name, description, schedule, isEnabled },
    isRunning: run !== null,
    nextRunAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    lastExecution: last && withoutGone(executionViewOf(name, last), isGone),
  };
}

type RewindRow = Pick<Rewind, 'from' | 'upTo' | 'requestedAt'> & {
  readonly tenantId: string | null;
  readonly types: string[] | null;
};

export type ForwarderRow = {
  readonly state: 'RUNNING' | 'PAUSED' | 'WAITING_FOR_RESUME';
  /** Time at which the forwarder was paused or started waiting. */
  readonly pausedAt: string | null;
  readonly rewind:
    (RewindRow & { readonly position: number; readonly published: number; readonly progress: number }) | null;
  /** Number of requested rewinds that have not started yet. */
  readonly waitingRewinds: number;
  readonly lastRewind:
    | (RewindRow & {
        readonly status: 'DONE' | 'CANCELLED';
        readonly published: number | null;
        readonly endedAt: string;
      })
    | null;
};

/** The forwarder's state, regardless of which replica is the leader. */
export class GetForwarder extends query<ForwarderRow>() {}

async function progressOf(
  events: EventStore,
  marks: Marks,
  rewind: Rewind,
): Promise<NonNullable<ForwarderRow['rewind']>> {
  const { from, upTo, revision } = rewind;
  const stream = streamName(forwarder.name, PLATFORM_TENANT, FORWARDER);
  const requested = await eventAt(events, stream, revision);
  const names = rewindMarks(requested?.id ?? '');
  const first = 'position' in from ? from.position : 0;
  const position = Math.max(first, await marks.load(names.position));
  const published = Math.max(0, await marks.load(names.published));
  const progress = Math.floor((100 * (position - first)) / Math.max(1, upTo - first));
  return { ...requestOf(rewind), position, published, progress };
}

const requestOf = ({ from, upTo, requestedAt, tenantId, types }: Rewind): RewindRow => ({
  ...{ from, upTo, requestedAt },
  tenantId: tenantId ?? null,
  types: types ?? null,
});

const stateOf = (pause: Forwarder['pause']): ForwarderRow['state'] => {
  if (!pause) return 'RUNNING';
  return pause.reason === 'OPERATOR' ? 'PAUSED' : 'WAITING_FOR_RESUME';
};

/** Times at which the paused policies were paused, by policy name. */
export class ListPauses extends query<ReadonlyMap<string, string>>() {}

export async function pausesOf(reader: RecordReader): Promise<ReadonlyMap<string, string>> {
  const controls = POLICY_NAMES.map(
    async (name) => [name, (await reader.read(policy, PLATFORM_TENANT, name)).state] as const,
  );
  return new Map(
    (await Promise.all(controls)).flatMap(([name, { pausedAt }]) => (pausedAt === null ? [] : [[name, pausedAt]])),
  );
}

export type ProjectionRow = ProjectionState & { readonly eventsPerSecond: number };

export class ListProjections extends query<readonly ProjectionRow[]>() {}

export const operationQueryHandlers = [
  // The states are read from the jobs' streams, so that the result is current on every replica.
  answers(ListJobs, [JOB_DIRECTORY, RecordReader, CLOCK, BackupArchive], async (directory, reader, clock, archive) => {
    const loaded = await Promise.all(
      [...directory.jobs.values()].map(async (facts) => {
        const { state } = await reader.read(job, PLATFORM_TENANT, facts.name);
        return { facts, state };
      }),
    );
    // Must be called last, so that the archive knows the file of a run that has just ended.
    const isGone = await archive.gone();
    return loaded.map(({ facts, state }) => jobRecordOf(facts, state, clock.nowMs(), isGone));
  }),
  answers(ListJobExecutions, [ReadModels, BackupArchive], async (models, archive, scope, request) => {
    const page = await models.list(jobExecutions, scope, request);
    const isGone = await archive.gone();
    return { ...page, items: page.items.map((run) => withoutGone(run, isGone)) };
  }),
  answers(GetJobExecution, [ReadModels, CaughtUp], (models, caughtUp, id) =>
    caughtUp.found(models, jobExecutions, PLATFORM, id, 'execution'),
  ),
  answers(GetForwarder, [RecordReader, EVENT_STORE, MARKS], async (reader, events, marks) => {
    const { pause, rewinds, lastRewind } = (await reader.read(forwarder, PLATFORM_TENANT, FORWARDER)).state;
    const [first, ...waiting] = rewinds;
    return {
      state: stateOf(pause),
      pausedAt: pause?.since ?? null,
      rewind: first ? await progressOf(events, marks, first) : null,
      waitingRewinds: waiting.length,
      lastRewind: lastRewind && {
        ...requestOf(lastRewind),
        status: lastRewind.published === null ? 'CANCELLED' : 'DONE',
        published: lastRewind.published,
        endedAt: lastRewind.endedAt,
      },
    };
  }),
  answers(ListPauses, [RecordReader], pausesOf),
  answers(ListProjections, [ProjectionStatus, QueueBoard], async (projections, queues) => {
    const rates = new Map((await queues.list()).map(({ name, perMinute }) => [name, perMinute / 60]));
    return (await projections.all()).map((state) => ({
      ...state,
      eventsPerSecond: Math.round((rates.get(state.name) ?? 0) * 10) / 10,
    }));
  }),
];

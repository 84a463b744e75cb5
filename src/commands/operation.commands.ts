import type { Type } from '@nestjs/common';
import { z } from 'zod';
import * as letters from '../aggregates/dead-letter.aggregate.js';
import * as forwarders from '../aggregates/forwarder.aggregate.js';
import * as policies from '../aggregates/policy.aggregate.js';
import * as inspections from '../aggregates/inspection.aggregate.js';
import { cancelRun, pauseRun, resumeRun, type RunRequest } from '../aggregates/job-control.js';
import { job, type JobEvent, type JobState, startJob } from '../aggregates/job.aggregate.js';
import type { ExecutionLog } from '../aggregates/job-execution.js';
import type { Decision } from '../eventsourcing/aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, decides, decidesWith, type Receipt, receiptOf, type Target } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { invalid, notFound, notFoundAt } from '../eventsourcing/domain-error.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { faultsOf } from '../eventsourcing/faults.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { lastOwnEvent, positionBefore } from '../eventsourcing/stream-events.js';
import { EVENT_STORE, InvalidPosition, type EventStore, type Position } from '../ports/event-store.js';
import { CLOCK, IDS } from '../ports/time.js';
import { cancelRebuild, projectionAggregate, requestRebuild } from '../projecting/projection-control.js';
import { ProjectionStatus } from '../projecting/projection-status.js';
import { DEAD_LETTER_REPLAYER, type DeadLetterReplayer } from '../queries/dead-letter.queries.js';
import { JOB_DIRECTORY } from '../queries/operation.queries.js';

/** The receipt, with the dead letter's new status. The status is PARKED if the replay failed. */
export type ReplayReceipt = Receipt & { readonly status: 'PARKED' | 'REPLAYED' };

const Nothing = z.object({});
export class ReplayDeadLetter extends command<typeof Nothing, ReplayReceipt>(Nothing) {}
export class DiscardDeadLetter extends command(letters.DiscardDeadLetter) {}

export class RewindForwarder extends command(forwarders.RewindRequest) {}
export class CancelForwarderRewind extends command(z.object({})) {}
export class PauseForwarder extends command(z.object({})) {}
/** `from` is null to continue at the checkpoint, or `now` to continue at the end of the history. */
export class ResumeForwarder extends command(z.object({ from: z.union([z.literal('now'), z.number(), z.null()]) })) {}

export class PausePolicy extends command(z.object({})) {}
export class ResumePolicy extends command(z.object({})) {}

function ensurePolicy<C extends { readonly target: Target }>(received: C): C {
  if (!policies.isPolicyName(received.target.id)) throw notFound('policy');
  return received;
}

function ensureForwarder<C extends { readonly target: Target }>(received: C): C {
  if (received.target.id !== forwarders.FORWARDER) throw notFound('forwarder');
  return received;
}

/** @throws DomainError invalid */
function ensureWithin(position: Position, head: Position, path: string): void {
  if (position > head)
    throw invalid([{ path, message: `Position ${position} is beyond the end of the history (${head}).` }]);
}

/** Returns the position before an event. @throws DomainError invalid if no event has the position */
const before = (events: EventStore, position: Position, path: string): Promise<Position> =>
  positionBefore(events, position).catch((error: unknown) => {
    if (error instanceof InvalidPosition)
      throw invalid([{ path, message: `Position ${position} is not the position of an event.` }]);
    throw error;
  });

async function positionAfter(
  events: EventStore,
  catalogue: EventCatalogue,
  from: number | 'now' | null,
): Promise<Position | null> {
  if (from === null) return null;
  const head = await lastOwnEvent(events, catalogue);
  if (from === 'now') return head;
  ensureWithin(from, head, 'from');
  return before(events, from, 'from');
}

export class RebuildProjection extends command(z.object({})) {}
export class CancelProjectionRebuild extends command(z.object({})) {}

function versionOf(projections: ProjectionStatus, { target }: { readonly target: Target }): number {
  const version = projections.versionOf(target.id);
  if (version === undefined) throw notFound('projection');
  return version;
}

const TriggerInput = z.strictObject({ executionId: z.string(), parameters: z.exactOptional(z.unknown()) });

/** The receipt for the change to the job's stream, with the new execution. */
export type TriggerReceipt = Receipt & { readonly execution: ExecutionLog };

/**
 * Starts a run of the target job. A repeated request does not start another run. The receipt's `id` is the job's name.
 */
export class TriggerJob extends command<typeof TriggerInput, TriggerReceipt>(TriggerInput) {}

/** Commands for a run in progress. The target is the run's job. */
const Run = z.object({ executionId: z.string() });
export class PauseRun extends command(Run) {}
export class ResumeRun extends command(Run) {}
export class CancelRun extends command(Run) {}

const changesRun = (type: Type<PauseRun>, decide: Decision<JobState, RunRequest, JobEvent>) =>
  decidesWith(
    type,
    [JOB_DIRECTORY],
    ({ jobs }, { target, data }) => ({ ...data, canPause: jobs.get(target.id)?.canPause === true }),
    job,
    decide,
  );

/** Records the download of a backup. Must be executed before the first byte is sent. */
export class RecordBackupDownload extends command(inspections.BackupDownloaded) {}
/** Records that an operator read a record's history. Must be executed before the history is returned. */
export class RecordHistoryRead extends command(inspections.HistoryRead) {}
export class RecordEventsRead extends command(inspections.EventsRead) {}

/**
 * Replays the dead letter's event and records the outcome. `ready`: see DeadLetterReplayer. @throws DomainError
 * not_found; conflict ALREADY_RESOLVED; unavailable if an engine is down; NewerEvent
 */
export async function replayLetter(
  runner: CommandRunner,
  replayer: DeadLetterReplayer,
  target: Target,
  state: letters.DeadLetter,
  ready?: () => Promise<void>,
): Promise<ReplayReceipt> {
  const letter = letters.parkedLetter(state);
  const attempt = letter.attempts + 1;
  const failure = (await replayer.redeliver({ ...letter, ...target }, attempt, ready)) ?? null;
  const done = await runner.execute(letters.deadLetter, target, { attempt, failure }, letters.settleReplay);
  return { ...receiptOf(done), status: failure ? 'PARKED' : 'REPLAYED' };
}

export const operationCommandHandlers = [
  handles(
    ReplayDeadLetter,
    [CommandRunner, RecordReader, DEAD_LETTER_REPLAYER],
    async (runner, reader, replayer, { target }) => {
      const { state } = await reader.read(letters.deadLetter, target.tenantId, target.id);
      return replayLetter(runner, replayer, target, state);
    },
  ),
  decides(DiscardDeadLetter, letters.deadLetter, letters.discardLetter),
  decidesWith(
    RewindForwarder,
    [EVENT_STORE, EventCatalogue, RecordReader, CLOCK],
    async (events, catalogue, reader, clock, { target, data }) => {
      ensureForwarder({ target });
      const { from, tenantId } = data;
      if (tenantId !== undefined && (await reader.read(tenant, PLATFORM_TENANT, tenantId)).state.status === 'absent')
        throw notFoundAt('tenantId', 'tenant');
      const upTo = await lastOwnEvent(events, catalogue);
      if ('position' in from) {
        ensureWithin(from.position, upTo, 'position');
        await before(events, from.position, 'position');
      } else if (Date.parse(from.instant) > clock.nowMs())
        throw invalid([{ path: 'instant', message: `${from.instant} is in the future.` }]);
      return { ...data, upTo };
    },
    forwarders.forwarder,
    forwarders.rewindForwarder,
  ),
  decidesWith(CancelForwarderRewind, [], ensureForwarder, forwarders.forwarder, forwarders.cancelRewinds),
  decidesWith(PauseForwarder, [], ensureForwarder, forwarders.forwarder, forwarders.pauseForwarder),
  decidesWith(
    ResumeForwarder,
    [EVENT_STORE, EventCatalogue],
    async (events, catalogue, { target, data: { from } }) => {
      ensureForwarder({ target });
      return { after: await positionAfter(events, catalogue, from) };
    },
    forwarders.forwarder,
    forwarders.resumeForwarder,
  ),
  decidesWith(PausePolicy, [], ensurePolicy, policies.policy, policies.pausePolicy),
  decidesWith(ResumePolicy, [], ensurePolicy, policies.policy, policies.resumePolicy),
  decidesWith(
    RebuildProjection,
    [ProjectionStatus, IDS],
    (projections, ids, received) => ({ version: versionOf(projections, received), rebuildId: ids.next() }),
    projectionAggregate,
    requestRebuild,
  ),
  decidesWith(
    CancelProjectionRebuild,
    [ProjectionStatus],
    (projections, received) => ({ version: versionOf(projections, received) }),
    projectionAggregate,
    cancelRebuild,
  ),
  // Any process can record the start of the run. The job leader executes the run.
  handles(TriggerJob, [CommandRunner, JOB_DIRECTORY], async (runner, directory, { target, data }) => {
    const known = directory.jobs.get(target.id);
    if (!known) throw notFoundAt('jobName', 'job');
    const { executionId, parameters = {} } = data;
    const checked = known.parameters.safeParse(parameters);
    if (!checked.success) throw invalid(faultsOf(checked.error, ['parameters']));
    const { actor } = currentContext();
    const triggeredBy = actor.kind === 'operator' ? actor.userId : null;
    const start = { executionId, trigger: 'MANUAL', triggeredBy, scheduledFor: null, parameters } as const;
    const started = await runner.execute(job, target, start, startJob);
    const execution = started.state.manual.find(({ id }) => id === executionId);
    if (!execution) throw new Error(`The run ${executionId} was not started`);
    return { ...receiptOf(started), execution };
  }),
  changesRun(PauseRun, pauseRun),
  changesRun(ResumeRun, resumeRun),
  changesRun(CancelRun, cancelRun),
  decides(RecordBackupDownload, inspections.inspection, inspections.recordBackupDownload),
  decides(RecordHistoryRead, inspections.inspection, inspections.recordHistoryRead),
  decides(RecordEventsRead, inspections.inspection, inspections.recordEventsRead),
];

import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { QueueBoard } from '../platform/queue-board.js';
import { ProjectionStatus, type ProjectionState } from '../platform/projection-status.js';

export type ProjectionRow = {
  readonly name: string;
  readonly version: number;
  readonly generation: number;
  readonly position: number;
  readonly head: number;
  /** How far the position is behind the head. */
  readonly lag: number;
  readonly status: 'LIVE' | 'CATCHING_UP' | 'REBUILDING' | 'STOPPED';
  readonly eventsPerSecond: number;
  readonly rebuild: {
    /** 0–100. */
    readonly progress: number;
    readonly position: number;
    /** Null until it is compared with the live one. */
    readonly changedDocuments: number | null;
    readonly requestedAt: string;
  } | null;
  readonly lastRebuild: {
    readonly status: 'DONE' | 'CANCELLED' | 'FAILED';
    readonly changedDocuments: number | null;
    readonly requestedAt: string;
    readonly endedAt: string;
    readonly reason: string | null;
  } | null;
};

export class ListProjections extends Query<readonly ProjectionRow[]> {}

@QueryHandler(ListProjections)
export class ListProjectionsHandler implements IQueryHandler<ListProjections> {
  constructor(
    @Inject(ProjectionStatus) private readonly projections: ProjectionStatus,
    @Inject(QueueBoard) private readonly queues: QueueBoard,
  ) {}

  async execute(): Promise<readonly ProjectionRow[]> {
    const rates = new Map((await this.queues.list()).map(({ name, perMinute }) => [name, perMinute / 60]));
    return (await this.projections.all()).map((state) => rowOf(state, rates.get(state.name) ?? 0));
  }
}

export const projectionQueryHandlers = [ListProjectionsHandler];

function rowOf(state: ProjectionState, eventsPerSecond: number): ProjectionRow {
  const { name, version, generation, position, head, rebuild, lastRebuild } = state;
  return {
    ...{ name, version, generation, position, head },
    lag: head - position,
    status: statusOf(state),
    eventsPerSecond: Math.round(eventsPerSecond * 10) / 10,
    rebuild: rebuild && {
      progress: progressOf(rebuild.position, head),
      position: rebuild.position,
      changedDocuments: rebuild.compared?.changedDocuments ?? null,
      requestedAt: rebuild.requestedAt,
    },
    lastRebuild: lastRebuild && {
      status: lastRebuild.status,
      changedDocuments: lastRebuild.compared?.changedDocuments ?? null,
      requestedAt: lastRebuild.requestedAt,
      endedAt: lastRebuild.endedAt,
      reason: lastRebuild.reason,
    },
  };
}

function statusOf({ isStopped, rebuild, position, head }: ProjectionState): ProjectionRow['status'] {
  if (isStopped) return 'STOPPED';
  if (rebuild) return 'REBUILDING';
  return position < head ? 'CATCHING_UP' : 'LIVE';
}

/** All is done only when the new generation is live. */
const progressOf = (position: number, head: number): number =>
  head <= 0 ? 0 : Math.min(99, Math.max(0, Math.floor((100 * position) / head)));

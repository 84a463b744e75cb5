import { answers, query } from '../eventsourcing/handler.js';
import { QueueBoard } from '../observability/queue-board.js';
import { ProjectionStatus, type ProjectionState } from '../projecting/projection-status.js';

export type ProjectionRow = ProjectionState & { readonly eventsPerSecond: number };

export class ListProjections extends query<readonly ProjectionRow[]>() {}

export const projectionQueryHandlers = [
  answers(ListProjections, [ProjectionStatus, QueueBoard], async (projections, queues) => {
    const rates = new Map((await queues.list()).map(({ name, perMinute }) => [name, perMinute / 60]));
    return (await projections.all()).map((state) => ({
      ...state,
      eventsPerSecond: Math.round((rates.get(state.name) ?? 0) * 10) / 10,
    }));
  }),
];

import { executionLogOf, type ExecutionLog, type JobEvent } from '../aggregates/job.aggregate.js';
import type { Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

export type JobExecutionView = ExecutionLog & { readonly jobName: string };

export const jobExecutions: ReadModel<JobExecutionView> = {
  name: 'job_executions',
  version: 3,
  fields: {
    startedAt: { type: 'text', of: ({ startedAt }) => startedAt },
  },
  filters: [],
  order: { fields: ['startedAt'], direction: 'descending' },
  search: {
    jobName: ({ jobName }) => jobName,
    message: ({ message }) => message,
  },
};

export const jobExecutionProjection: Projection<JobExecutionView, JobEvent> = {
  model: jobExecutions,
  sources: ['job'],
  recordsOf: [],
  documents: ({ type, data }) => (type === 'JobScheduleRecorded' ? [] : [data.executionId]),
  scope: () => PLATFORM,
  evolve: (view, event) => {
    const log = executionLogOf(event);
    return log ? { ...log, jobName: event.recordId } : view;
  },
};

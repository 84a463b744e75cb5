import type { JobEvent } from '../aggregates/job.aggregate.js';
import { executionLogOf, type ExecutionLog } from '../aggregates/job-execution.js';
import type { Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { searchIn, texts } from './record-projection.js';

export type JobExecutionView = ExecutionLog & { readonly jobName: string };

export const jobExecutions: ReadModel<JobExecutionView> = {
  name: 'job_executions',
  version: 4,
  fields: texts<JobExecutionView>('startedAt'),
  filters: [],
  order: { fields: ['startedAt'], direction: 'descending' },
  search: searchIn<JobExecutionView>('jobName', 'message'),
};

export const jobExecutionProjection: Projection<JobExecutionView, JobEvent> = {
  model: jobExecutions,
  sources: ['job'],
  recordsOf: [],
  documents: ({ type, data }) => (type === 'JobScheduleRecorded' ? [] : [data.executionId]),
  scope: () => PLATFORM,
  evolve: (view, event) => {
    const log = executionLogOf(event, event.revision);
    return log ? { ...log, jobName: event.recordId } : view;
  },
};

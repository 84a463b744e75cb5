import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Artifact, JobExecutionStatus, JobTrigger } from '../aggregates/job.aggregate.js';
import { BackupArchive } from '../backup/backup-archive.js';
import {
  CancelRun,
  PauseRun,
  RecordBackupDownload,
  ResumeRun,
  TriggerJob,
  type TriggerReceipt,
} from '../commands/operation.commands.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetJobExecution, ListJobExecutions, ListJobs } from '../queries/operation.queries.js';
import { partOf } from './byte-range.js';
import { requiredPaging, searchInput } from './input.js';
import { JobFeed } from './job-feed.js';
import { controllerOf, pageOf, receipt, routesAt, type Services, valueOf } from './routes.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

/** The job that writes backups. */
const DATABASE_BACKUP = 'database-backup';

const JobExecutionLogDto = named(
  'JobExecutionLogDto',
  z.object({
    ...recordFields,
    jobName: z.string(),
    status: JobExecutionStatus,
    trigger: JobTrigger,
    triggeredBy: z
      .string()
      .nullable()
      .meta({ description: 'Operator who started the run; null if the run was scheduled.' }),
    startedAt: instantOut,
    finishedAt: instantOut.nullable(),
    durationMs: z.int().min(0).nullable(),
    progress: z.int().min(0).max(100),
    message: z.string().nullable().meta({ description: 'Description of the current or last step.' }),
    error: z.string().nullable().meta({ description: 'Reason for the failure.' }),
    artifact: Artifact.nullable().meta({
      description: 'File produced by the run; null if the run produced none, or the file has been deleted.',
    }),
  }),
);

const JobResponseDto = named(
  'JobResponseDto',
  z.object({
    name: z.string(),
    description: z.string(),
    schedule: z.string().meta({ description: 'Cron pattern, in UTC. Empty if the job runs only on request.' }),
    isEnabled: z.boolean().meta({ description: 'Whether the schedule is active.' }),
    isRunning: z.boolean(),
    nextRunAt: instantOut.nullable(),
    lastExecution: JobExecutionLogDto.nullable(),
  }),
);

export const JobTriggerResultDto = named(
  'JobTriggerResultDto',
  z.object({ executionLogId: recordId, jobName: z.string(), status: JobExecutionStatus, startedAt: instantOut }),
);

const triggerBody = z
  .strictObject({
    jobName: z.string().trim().min(1).max(100),
    parameters: z
      .exactOptional(z.unknown())
      .meta({ type: 'object', description: 'Parameters of the job. Default: the parameters of a scheduled run.' }),
  })
  .meta({ id: 'TriggerJobDto' });

const logsQuery = z.strictObject({ ...requiredPaging, search: searchInput.optional() });

const lastEventIdOf = ({ headers }: FastifyRequest): string | undefined => headers['last-event-id']?.toString();

/** Returns the fields of the response to a job trigger. */
export const startedRun = ({ id: jobName, execution: { id: executionLogId, status, startedAt } }: TriggerReceipt) => ({
  executionLogId,
  jobName,
  status,
  startedAt,
});

const ofRun = <const Path extends string>(path: Path) =>
  ({
    method: 'POST',
    path: `/execution/:executionLogId/${path}`,
    ids: ['executionLogId'],
    answers: receipt(201),
  }) as const;

/** Sends a command to the job to which an execution belongs. */
const changeRun =
  (Change: typeof PauseRun) =>
  async ({ tenantId, params }: { tenantId: string; params: { executionLogId: string } }, services: Services) => {
    const { executionLogId: executionId } = params;
    const { jobName } = await services.queries.execute(new GetJobExecution(executionId));
    return services.send(new Change({ tenantId, id: jobName }, { executionId }));
  };

const routes = routesAt('/api/platform/jobs', { who: 'platform', tag: 'Platform Jobs' });
const recorded = routesAt('/api/platform/jobs', { who: 'platform', tag: 'Platform Jobs', isRecorded: true });

export const JobController = controllerOf(
  routes.query(
    'List jobs with their schedules and last executions',
    { answers: valueOf(z.array(JobResponseDto)) },
    () => new ListJobs(),
  ),
  routes.query(
    'List job executions, newest first',
    { path: '/logs', query: logsQuery, answers: pageOf(JobExecutionLogDto) },
    ({ scope, query: { search, ...paging } }) =>
      new ListJobExecutions(scope, { ...paging, ...(search !== undefined && { search }) }),
  ),
  routes.route(
    'Stream job changes as server-sent events',
    {
      path: '/stream',
      description:
        'The stream begins with `event: snapshot`, which contains all jobs (a list of JobResponseDto). Each change ' +
        'is then sent as `event: job` with a JobExecutionLogDto. The `id` of the server-sent event is the position ' +
        'of the change in the history. If the request contains `Last-Event-ID`, the stream contains only later ' +
        'events, without a snapshot. The service sends a comment every 15 seconds. The stream ends when the session ' +
        'ends.',
      requestHeaders: {
        'Last-Event-ID': { description: '`id` of the last received event.', pattern: '^(?:0|[1-9]\\d{0,15})$' },
      },
      answers: { status: 200, shape: 'sse', bareRefusals: true },
    },
    ({ bearerToken: token, caller: { sessionId, userId }, request }, services) =>
      services.get(JobFeed).watch({ token, sessionId, userId }, lastEventIdOf(request)),
  ),
  routes.command(
    'Run a job now, regardless of its schedule',
    {
      path: '/trigger',
      body: triggerBody,
      creates: {},
      answers: { ...valueOf(JobTriggerResultDto), status: 201, position: 'awaited' },
    },
    ({ tenantId, id: executionId, body: { jobName, ...parameters } }) =>
      new TriggerJob({ tenantId, id: jobName }, { executionId, ...parameters }),
    startedRun,
  ),
  routes.route(
    'Pause a run',
    { ...ofRun('pause'), description: 'Only runs that process dead letters can be paused.' },
    changeRun(PauseRun),
  ),
  routes.route('Resume a paused run', ofRun('resume'), changeRun(ResumeRun)),
  routes.route('Cancel a run', { ...ofRun('cancel'), description: 'Completed work is kept.' }, changeRun(CancelRun)),
  recorded.route(
    'Download the backup file of a successful run, if it still exists',
    {
      path: '/execution/:executionLogId/backup-download',
      ids: ['executionLogId'],
      stepUp: true,
      description:
        'The file contains the history of all tenants. Protect it like the database, and restore it with `npm run ' +
        'restore`. Every download is recorded in the audit log. To continue an interrupted download, send `Range` ' +
        'with a single byte range and `If-Range` with the ETag.',
      answers: {
        status: 200,
        shape: 'file',
        bareRefusals: true,
        also: { 206: 'The requested byte range.', 416: 'The range is outside the file.' },
        headers: {
          'Accept-Ranges': { description: '`bytes`.', required: true },
          ETag: { description: 'Identifies the content of the file.', required: true },
          'Content-Disposition': { description: 'File name.', required: true },
          'Content-Length': { description: 'Size in bytes.', required: true },
          Digest: { description: 'SHA-256 of the file (RFC 3230).', required: true },
          'Repr-Digest': { description: 'SHA-256 of the file (RFC 9530).', required: true },
        },
      },
    },
    async ({ tenantId, request, params: { executionLogId: executionId } }, services) => {
      const backup = await services.get(BackupArchive).open(executionId);
      if (!backup) throw new DomainError('not_found', 'NOT_FOUND', 'This execution has no backup.');
      const { fileName, sizeBytes, sha256, file } = backup;
      const { content, isEmpty, send } = partOf({ file, sizeBytes, etag: `"${sha256}"` }, request.headers);
      try {
        const target = { tenantId, id: services.get<Ids>(IDS).next() };
        const download = { jobName: DATABASE_BACKUP, executionId, fileName, sizeBytes, sha256 };
        if (!isEmpty) await services.commands.execute(new RecordBackupDownload(target, download));
      } catch (error) {
        content.destroy();
        throw error;
      }
      const digest = Buffer.from(sha256, 'hex').toString('base64');
      return send({
        'content-disposition': `attachment; filename="${fileName}"`,
        digest: `sha-256=${digest}`,
        'repr-digest': `sha-256=:${digest}:`,
      });
    },
  ),
);

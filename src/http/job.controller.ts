import { Body, Controller, createParamDecorator, Inject, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Artifact, JobExecutionStatus, JobTrigger } from '../aggregates/job.aggregate.js';
import { TriggerJob } from '../commands/job.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { ListJobExecutions, ListJobs, type JobRecord } from '../queries/job.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { requiredPaging, searchInput } from './input.js';
import { JobFeed } from './job-feed.js';
import { instantOut, named, recordId } from './shapes.js';

const JobExecutionLogDto = named(
  'JobExecutionLogDto',
  z.object({
    id: recordId,
    jobName: z.string(),
    status: JobExecutionStatus,
    trigger: JobTrigger,
    triggeredBy: z.string().nullable().meta({ description: 'The operator; null where the schedule started it.' }),
    startedAt: instantOut,
    finishedAt: instantOut.nullable(),
    durationMs: z.int().min(0).nullable(),
    progress: z.int().min(0).max(100),
    message: z.string().nullable().meta({ description: 'What is being done, or was done.' }),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    artifact: Artifact.nullable().meta({ description: 'The file that it left.' }),
  }),
);

const JobResponseDto = named(
  'JobResponseDto',
  z.object({
    name: z.string(),
    description: z.string(),
    schedule: z.string().meta({ description: 'Cron pattern, in UTC.' }),
    isEnabled: z.boolean().meta({ description: 'Whether the schedule starts it.' }),
    isRunning: z.boolean(),
    nextRunAt: instantOut.nullable(),
    lastExecution: JobExecutionLogDto.nullable(),
  }),
);

const JobTriggerResultDto = named(
  'JobTriggerResultDto',
  z.object({ executionLogId: recordId, jobName: z.string(), status: JobExecutionStatus, startedAt: instantOut }),
);

const triggerBody = z
  .strictObject({
    jobName: z.string().trim().min(1).max(100),
    parameters: z
      .exactOptional(z.unknown())
      .meta({ type: 'object', description: 'What the job takes; without them it runs as it does by its schedule.' }),
  })
  .meta({ id: 'TriggerJobDto' });

const logsQuery = z.strictObject({ ...requiredPaging, search: searchInput.optional() });

const BearerToken = createParamDecorator(
  (_: unknown, context) =>
    context
      .switchToHttp()
      .getRequest<FastifyRequest>()
      .headers.authorization?.replace(/^bearer +/i, '')
      .trim() ?? '',
);
const LastEventId = createParamDecorator(
  (_: unknown, context) => context.switchToHttp().getRequest<FastifyRequest>().headers['last-event-id'],
);

const declared = { who: 'platform', tag: 'Platform Jobs' } as const;

@Controller()
export class JobController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(JobFeed) private readonly feed: JobFeed,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/jobs',
    summary: 'The jobs, with their schedules and last runs',
    answers: { status: 200, shape: 'envelope', schema: z.array(JobResponseDto) },
  })
  list(): Promise<readonly JobRecord[]> {
    return this.queries.execute(new ListJobs());
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/jobs/logs',
    summary: 'Runs of jobs, newest first',
    query: logsQuery,
    answers: { status: 200, shape: 'page', schema: JobExecutionLogDto },
  })
  logs(@Query() query: z.output<typeof logsQuery>): Promise<unknown> {
    const { search, ...paging } = query;
    return this.queries.execute(
      new ListJobExecutions(PLATFORM, { ...paging, ...(search !== undefined && { search }) }),
    );
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/jobs/stream',
    summary: 'What happens to jobs, as server-sent events',
    description:
      'First `event: snapshot` with all jobs (a list of JobResponseDto), then `event: job` with a JobExecutionLogDto for each change; `id` is the position of the event. A request with `Last-Event-ID` gets what came after that and no snapshot. A comment comes every 15 seconds. The stream ends with the session.',
    requestHeaders: {
      'Last-Event-ID': { description: 'The last `id` that was received.', pattern: '^(?:0|[1-9]\\d{0,15})$' },
    },
    answers: { status: 200, shape: 'sse', bareRefusals: true },
  })
  async stream(@BearerToken() token: string, @LastEventId() lastEventId: string | undefined): Promise<Answer> {
    return answer(await this.feed.watch(token, lastEventId));
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/jobs/trigger',
    summary: 'Run a job now, whatever its schedule',
    body: triggerBody,
    answers: { status: 201, shape: 'envelope', schema: JobTriggerResultDto, position: 'awaited' },
  })
  async trigger(@Body() { jobName, ...parameters }: z.output<typeof triggerBody>): Promise<Answer> {
    const target = { tenantId: PLATFORM_TENANT, id: jobName };
    const { execution, position } = await this.commands.execute(new TriggerJob(target, parameters));
    const { id: executionLogId, status, startedAt } = execution;
    return answer({ executionLogId, jobName, status, startedAt }, await this.gateway.settled(position));
  }
}

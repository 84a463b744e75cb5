import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { answer, type Answer } from './answer.js';
import { QueueDto } from './cache.controller.js';
import { Endpoint } from './endpoint.js';
import { instantOut, named } from './shapes.js';

export const HEALTH = Symbol('HEALTH');

/** The service's state as seen by this process. Calls complete within seconds, whichever engine is unavailable. */
export interface Health {
  basic(): Promise<z.output<typeof BasicHealthDto>>;
  ready(): Promise<ReadinessReport>;
  system(): Promise<z.output<typeof SystemHealthDto>>;
  /** For load balancers, without a credential. Contains no address and no tenant data. */
  probe(): Promise<ProbeReport>;
  /** All process metrics in Prometheus text format. Never rejects: unknown values are omitted. */
  metrics(): Promise<{ readonly text: string; readonly type: string }>;
}

const Level = z.enum(['up', 'degraded', 'down']);

export const CheckDto = z.object({
  name: z.string().meta({ description: 'event-store, read-store, subscribers, read-models, broker or cache.' }),
  status: Level.meta({ description: '`degraded`: it serves, but a projection has stopped.' }),
  latencyMs: z.number().min(0),
  reason: z.string().optional().meta({ description: 'Why it is not `up`.' }),
});
export type Check = z.output<typeof CheckDto>;

const overview = {
  status: Level.meta({
    description: '`degraded`: it serves, but something it can do without is unavailable. `down`: it cannot serve.',
  }),
  version: z.string().meta({ description: 'Of the service.' }),
  uptimeSeconds: z.int().min(0).meta({ description: 'Of this process.' }),
  timestamp: instantOut,
} as const;

export const BasicHealthDto = named('BasicHealthDto', z.object(overview));
export const LivenessDto = named('LivenessDto', z.object({ status: z.literal('alive') }));
export const ReadinessDto = named(
  'ReadinessDto',
  z.object({
    status: z
      .enum(['ready', 'degraded', 'not-ready'])
      .meta({ description: '`degraded` is ready too: what is unavailable is not needed to serve.' }),
    checks: z.array(CheckDto),
  }),
);
export type ReadinessReport = z.output<typeof ReadinessDto>;

export const ProbeCheck = CheckDto.omit({ latencyMs: true });
export type ProbeReport = {
  readonly status: 'ready' | 'not-ready';
  readonly checks: readonly z.output<typeof ProbeCheck>[];
};

const milliseconds = z.number().min(0);
const bytes = z.int().min(0);
export const SystemHealthDto = named(
  'SystemHealthDto',
  z.object({
    ...overview,
    nodeVersion: z.string(),
    roles: z.array(z.string()).meta({ description: 'Roles of this process.' }),
    checks: z.array(CheckDto),
    eventStore: z.object({
      head: z
        .int()
        .nullable()
        .meta({ description: "Position of the service's last event; null while the event store is unavailable." }),
    }),
    engines: z.array(
      z.object({
        name: z.string(),
        engine: z.string().nullable(),
        version: z
          .string()
          .nullable()
          .meta({ description: 'Null while the engine is unavailable, or if it reports none.' }),
      }),
    ),
    projections: z.array(
      QueueDto.pick({ name: true, position: true, lag: true }).extend({
        status: z.enum(['running', 'stopped', 'failed']).meta({
          description: '`stopped`: it met an event that it cannot fold. `failed`: it failed repeatedly and is retried.',
        }),
      }),
    ),
    memory: z.object({ rssBytes: bytes, heapTotalBytes: bytes, heapUsedBytes: bytes, externalBytes: bytes }),
    eventLoopDelay: z
      .object({ meanMs: milliseconds, p50Ms: milliseconds, p99Ms: milliseconds, maxMs: milliseconds })
      .meta({ description: 'Of the serving thread, over the last 30 to 60 seconds.' }),
  }),
);

const declared = { method: 'GET', who: 'any', tag: 'System Health' } as const;

@Controller()
export class HealthController {
  constructor(@Inject(HEALTH) private readonly health: Health) {}

  @Endpoint({
    ...declared,
    path: '/api/system/health',
    summary: 'Get the status of the service',
    answers: { status: 200, shape: 'envelope', schema: BasicHealthDto },
  })
  basic(): Promise<unknown> {
    return this.health.basic();
  }

  @Endpoint({
    ...declared,
    path: '/api/system/health/live',
    summary: 'Check that the process is alive',
    answers: { status: 200, shape: 'envelope', schema: LivenessDto },
  })
  live(): z.output<typeof LivenessDto> {
    return { status: 'alive' };
  }

  @Endpoint({
    ...declared,
    path: '/api/system/health/ready',
    summary: 'Check whether the process can serve, with the result of every check',
    answers: {
      status: 200,
      shape: 'envelope',
      schema: ReadinessDto,
      also: { 503: 'Not ready; the body names the reasons.' },
      bodies: { 503: ReadinessDto },
    },
  })
  async ready(): Promise<Answer> {
    const report = await this.health.ready();
    return answer(report, { status: report.status === 'not-ready' ? 503 : 200 });
  }

  @Endpoint({
    ...declared,
    who: 'platform',
    path: '/api/system/health/system',
    summary: 'Get details of the process, its engines and its projections',
    answers: { status: 200, shape: 'envelope', schema: SystemHealthDto, bareRefusals: true },
  })
  system(): Promise<unknown> {
    return this.health.system();
  }
}

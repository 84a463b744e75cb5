import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { answer, type Answer } from './answer.js';
import { QueueDto } from './cache.controller.js';
import { Endpoint } from './endpoint.js';
import { instantOut, named } from './shapes.js';

export const HEALTH = Symbol('HEALTH');

/** How the service is doing, as this process sees it. Every answer comes within some seconds, whatever is away. */
export interface Health {
  basic(): Promise<z.output<typeof BasicHealthDto>>;
  ready(): Promise<ReadinessReport>;
  system(): Promise<z.output<typeof SystemHealthDto>>;
}

const Level = z.enum(['up', 'degraded', 'down']);

const CheckDto = z.object({
  name: z.string().meta({ description: 'event-store, read-store, subscribers, read-models, broker or cache.' }),
  status: Level.meta({ description: '`degraded`: it serves, but a read model stands still.' }),
  latencyMs: z.number().min(0),
});
export type Check = z.output<typeof CheckDto>;

const overview = {
  status: Level.meta({ description: '`degraded`: it serves, but something is away. `down`: it cannot serve.' }),
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
      .meta({ description: '`degraded` is ready, too: what is away is not needed to serve.' }),
    checks: z.array(CheckDto),
  }),
);
export type ReadinessReport = z.output<typeof ReadinessDto>;

const milliseconds = z.number().min(0);
const bytes = z.int().min(0);
const EngineDto = z.object({
  name: z.string(),
  engine: z.string().nullable(),
  version: z.string().nullable().meta({ description: 'Null where it is away, or does not tell.' }),
});
export const SystemHealthDto = named(
  'SystemHealthDto',
  z.object({
    ...overview,
    nodeVersion: z.string(),
    roles: z.array(z.string()).meta({ description: 'What this process does.' }),
    checks: z.array(CheckDto),
    eventStore: z.object({
      head: z.int().nullable().meta({ description: "Position of the service's last event; null while it is away." }),
    }),
    engines: z.array(EngineDto),
    projections: z.array(
      QueueDto.pick({ name: true, position: true, lag: true }).extend({
        status: z.enum(['running', 'stopped']).meta({ description: '`stopped`: it met an event that it cannot fold.' }),
      }),
    ),
    memory: z.object({ rssBytes: bytes, heapTotalBytes: bytes, heapUsedBytes: bytes, externalBytes: bytes }),
    eventLoopDelay: z
      .object({ meanMs: milliseconds, p50Ms: milliseconds, p99Ms: milliseconds, maxMs: milliseconds })
      .meta({ description: 'Of the serving thread, over the last half to whole minute.' }),
  }),
);

const declared = { method: 'GET', who: 'any', tag: 'System Health' } as const;

@Controller()
export class HealthController {
  constructor(@Inject(HEALTH) private readonly health: Health) {}

  @Endpoint({
    ...declared,
    path: '/api/system/health',
    summary: 'How the service is doing, in a word',
    answers: { status: 200, shape: 'envelope', schema: BasicHealthDto },
  })
  basic(): Promise<unknown> {
    return this.health.basic();
  }

  @Endpoint({
    ...declared,
    path: '/api/system/health/live',
    summary: 'Whether the process is alive',
    answers: { status: 200, shape: 'envelope', schema: LivenessDto },
  })
  live(): z.output<typeof LivenessDto> {
    return { status: 'alive' };
  }

  @Endpoint({
    ...declared,
    path: '/api/system/health/ready',
    summary: 'Whether the process can serve, and what it found',
    answers: {
      status: 200,
      shape: 'envelope',
      schema: ReadinessDto,
      also: { 503: 'Not ready; the body says what is missing.' },
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
    summary: 'Everything about the process and its engines',
    answers: { status: 200, shape: 'envelope', schema: SystemHealthDto, bareRefusals: true },
  })
  system(): Promise<unknown> {
    return this.health.system();
  }
}

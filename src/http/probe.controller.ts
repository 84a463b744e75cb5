import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { answer, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';
import { HEALTH, ProbeCheck, type Health, type ProbeReport } from './health.controller.js';

const status = <S extends string>(text: S) => z.object({ status: z.literal(text) });
const report = (text: ProbeReport['status']) => status(text).extend({ checks: z.array(ProbeCheck) });
const declared = { method: 'GET', tag: 'Service' } as const;

/** Routes for load balancers, supervisors and Prometheus, in processes of every role. */
@Controller()
export class ProbeController {
  constructor(@Inject(HEALTH) private readonly health: Health) {}

  @Endpoint({
    ...declared,
    who: 'public',
    path: '/livez',
    summary: 'Check that the process is alive',
    answers: { status: 200, shape: 'plain', schema: status('alive') },
  })
  live(): object {
    return { status: 'alive' };
  }

  @Endpoint({
    ...declared,
    who: 'public',
    path: '/readyz',
    summary: 'Check whether the service can serve',
    answers: {
      status: 200,
      shape: 'plain',
      schema: report('ready'),
      also: { 503: 'Not ready.' },
      bodies: { 503: report('not-ready') },
    },
  })
  async ready(): Promise<Answer> {
    const found = await this.health.probe();
    return answer(found, { status: found.status === 'ready' ? 200 : 503 });
  }

  @Endpoint({
    ...declared,
    who: 'token',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    answers: { status: 200, shape: 'plain', media: ['text/plain'] },
  })
  async scrape(): Promise<Answer> {
    const { text, type } = await this.health.metrics();
    return answer(text, { type });
  }
}

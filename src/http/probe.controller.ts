import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { answer, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';

export const READINESS = Symbol('READINESS');
/** Whether the service can serve: its engines answer, and its read models are filled. */
export type Readiness = () => Promise<boolean>;

const status = (text: string) => z.object({ status: z.literal(text) });
const probe = { method: 'GET', who: 'public', tag: 'Service' } as const;

/** For load balancers and supervisors: no credential, no detail. */
@Controller()
export class ProbeController {
  constructor(@Inject(READINESS) private readonly isReady: Readiness) {}

  @Endpoint({
    ...probe,
    path: '/livez',
    summary: 'Whether the process is alive',
    answers: { status: 200, shape: 'plain', schema: status('alive') },
  })
  live(): object {
    return { status: 'alive' };
  }

  @Endpoint({
    ...probe,
    path: '/readyz',
    summary: 'Whether the process can serve',
    answers: {
      status: 200,
      shape: 'plain',
      schema: status('ready'),
      also: { 503: 'Not ready.' },
      bodies: { 503: status('not-ready') },
    },
  })
  async ready(): Promise<Answer> {
    return (await this.isReady()) ? answer({ status: 'ready' }) : answer({ status: 'not-ready' }, { status: 503 });
  }
}

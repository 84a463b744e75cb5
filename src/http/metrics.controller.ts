import { Controller, Inject } from '@nestjs/common';
import { answer, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';

export const METRICS = Symbol('METRICS');

/** All metrics of a process, in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  /** Never fails: what cannot be asked now is left out. */
  text(): Promise<string>;
}

/** For Prometheus, in processes of every role. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly metrics: Metrics) {}

  @Endpoint({
    method: 'GET',
    path: '/metrics',
    who: 'token',
    tag: 'Service',
    summary: 'Metrics in the text format of Prometheus',
    answers: { status: 200, shape: 'plain', media: ['text/plain'] },
  })
  async scrape(): Promise<Answer> {
    return answer(await this.metrics.text(), { type: this.metrics.contentType });
  }
}

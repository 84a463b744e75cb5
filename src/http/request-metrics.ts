import { Counter, Gauge, type Registry } from 'prom-client';
import type { Outcome } from './kernel.js';
import { RequestHistogram } from './request-histogram.js';

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** All addresses that lead nowhere: their paths are the clients' own invention. */
const UNKNOWN = 'unknown';
const INTAKE = '/api/integrations/v1/sales';

/** Counts and times requests by the pattern of their route; never by path, tenant or user, of which there is no end. */
export class RequestMetrics {
  private readonly seconds: RequestHistogram;
  private readonly refusals: Counter<'route'>;
  private readonly sales = { accepted: 0, replayed: 0 };
  private inFlight = 0;

  constructor(registry: Registry) {
    this.seconds = new RequestHistogram(registry);
    this.refusals = new Counter({
      name: 'kontor_rate_limit_refusals_total',
      help: 'Requests refused because there were too many, by route.',
      labelNames: ['route'],
      registers: [registry],
    });
    this.countSales(registry);
    this.gaugeInFlight(registry);
  }

  begins(): void {
    this.inFlight += 1;
  }

  ends(): void {
    this.inFlight -= 1;
  }

  /** A fraction of a microsecond: it is called for every request. */
  readonly observe = ({ method, route = UNKNOWN, status, ms, code }: Outcome): void => {
    this.seconds.observe(METHODS.has(method) ? method : 'other', route, Math.floor(status / 100), ms / 1_000);
    if (status === 429 && code === 'RATE_LIMITED') this.refusals.inc({ route });
    else if (route === INTAKE && method === 'POST' && status < 300)
      this.sales[status === 202 ? 'accepted' : 'replayed'] += 1;
  };

  private countSales(registry: Registry): void {
    const { sales } = this;
    new Counter({
      name: 'kontor_intake_sales_total',
      help: 'Sales that partners pushed: accepted, or replayed because they were known.',
      labelNames: ['result'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(sales)) this.inc({ result }, count);
      },
    });
  }

  private gaugeInFlight(registry: Registry): void {
    const read = () => this.inFlight;
    new Gauge({
      name: 'kontor_http_requests_in_flight',
      help: 'Requests under way.',
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}

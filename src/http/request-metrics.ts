import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Outcome } from './kernel.js';

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** Stands for all addresses without a route, because clients invent their paths. */
const UNKNOWN = 'unknown';
const INTAKE = '/api/integrations/v1/sales';

/** Counts and times requests by route pattern, never by path, tenant or user, which are unbounded. */
export class RequestMetrics {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly refusals: Counter<'route'>;
  private readonly sales: Counter<'result'>;
  /** Requests in progress. */
  readonly inFlight: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.durations = new Histogram({
      name: 'kontor_http_request_duration_seconds',
      help: 'Requests, by the pattern of their route and the class of their status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    });
    this.refusals = new Counter({
      name: 'kontor_rate_limit_refusals_total',
      help: 'Requests refused because there were too many, by route.',
      labelNames: ['route'],
      registers,
    });
    this.sales = new Counter({
      name: 'kontor_intake_sales_total',
      help: 'Sales that partners pushed: accepted, or replayed because they were known.',
      labelNames: ['result'],
      registers,
    });
    for (const result of ['accepted', 'replayed']) this.sales.inc({ result }, 0);
    this.inFlight = new Gauge({ name: 'kontor_http_requests_in_flight', help: 'Requests under way.', registers });
  }

  /** Called for every request. */
  readonly observe = ({ method, route = UNKNOWN, status, ms, code }: Outcome): void => {
    const labels = { method: METHODS.has(method) ? method : 'other', route, status: `${Math.floor(status / 100)}xx` };
    this.durations.observe(labels, ms / 1_000);
    if (status === 429 && code === 'RATE_LIMITED') this.refusals.inc({ route });
    else if (route === INTAKE && method === 'POST' && status < 300)
      this.sales.inc({ result: status === 202 ? 'accepted' : 'replayed' });
  };
}

import { Gauge, Histogram, type Registry } from 'prom-client';
import { counterIn } from '../observability/engine-metrics.js';
import type { Outcome } from './kernel.js';

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** Label for all paths without a route, because clients may send any number of different paths. */
const UNKNOWN = 'unknown';

/**
 * Counts and times requests by route pattern. Never distinguishes paths, tenants or users, because their number is
 * unbounded.
 */
export function requestMetrics(registry: Registry) {
  const seconds = new Histogram({
    name: 'kontor_http_request_duration_seconds',
    help: 'Requests by route pattern and status class.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  });
  const refusals = counterIn(
    registry,
    'kontor_rate_limit_refusals_total',
    'Requests rejected by rate limits, by route.',
    { route: [] },
  );
  const sales = counterIn(
    registry,
    'kontor_intake_sales_total',
    'Sales pushed by partners, by outcome: accepted or replayed.',
    {
      result: ['accepted', 'replayed'],
    },
  );
  return {
    /** Called for every request. */
    observe: ({ method, route = UNKNOWN, status, ms, code, sales: taken }: Outcome): void => {
      const known = METHODS.has(method) ? method : 'other';
      seconds.observe({ method: known, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
      if (status === 429 && code === 'RATE_LIMITED') refusals.inc({ route });
      if (taken === undefined) return;
      sales.inc({ result: 'accepted' }, taken.accepted);
      sales.inc({ result: 'replayed' }, taken.replayed);
    },
  };
}

/** Reports the number of requests in progress. */
export function meterInFlight(registry: Registry, inFlight: () => number): void {
  new Gauge({
    name: 'kontor_http_requests_in_flight',
    help: 'Requests in progress.',
    registers: [registry],
    collect(): void {
      this.set(inFlight());
    },
  });
}

import { Counter, Gauge, type Metric, type MetricValueWithName, type Registry } from 'prom-client';
import type { Outcome } from './kernel.js';

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** Stands for all addresses without a route, because clients invent their paths. */
const UNKNOWN = 'unknown';
const INTAKE = '/api/integrations/v1/sales';

/** Upper bounds in seconds. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const DURATION = {
  name: 'kontor_http_request_duration_seconds',
  help: 'Requests, by the pattern of their route and the class of their status.',
  type: 'histogram',
};

/** One series of the histogram: non-cumulative counts per bound, one count beyond, and the sum. */
type Series = { readonly labels: Readonly<Record<string, string>>; readonly counts: number[]; sum: number };

/** Counts and times requests by route pattern, never by path, tenant or user, which are unbounded. */
export class RequestMetrics {
  /** Series by route, method, and status class. */
  private readonly series = new Map<string, Map<string, Series[]>>();
  private readonly refusals: Counter<'route'>;
  private readonly sales = { accepted: 0, replayed: 0 };
  private inFlight = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    // prom-client's histogram validates and hashes the labels of every observation: 2 µs a request. A registry needs
    // only a metric's name and `get`.
    registry.registerMetric({ ...DURATION, get: () => Promise.resolve(this.durations()) } as unknown as Metric);
    this.refusals = new Counter({
      name: 'kontor_rate_limit_refusals_total',
      help: 'Requests refused because there were too many, by route.',
      labelNames: ['route'],
      registers,
    });
    const { sales } = this;
    const inFlight = () => this.inFlight;
    new Counter({
      name: 'kontor_intake_sales_total',
      help: 'Sales that partners pushed: accepted, or replayed because they were known.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(sales)) this.inc({ result }, count);
      },
    });
    new Gauge({
      name: 'kontor_http_requests_in_flight',
      help: 'Requests under way.',
      registers,
      collect() {
        this.set(inFlight());
      },
    });
  }

  begins(): void {
    this.inFlight += 1;
  }

  ends(): void {
    this.inFlight -= 1;
  }

  /** Called for every request; takes about 20 ns. */
  readonly observe = ({ method, route = UNKNOWN, status, ms, code }: Outcome): void => {
    this.time(METHODS.has(method) ? method : 'other', route, Math.floor(status / 100), ms / 1_000);
    if (status === 429 && code === 'RATE_LIMITED') this.refusals.inc({ route });
    else if (route === INTAKE && method === 'POST' && status < 300)
      this.sales[status === 202 ? 'accepted' : 'replayed'] += 1;
  };

  private time(method: string, route: string, statusClass: number, seconds: number): void {
    const series = this.series.get(route)?.get(method)?.[statusClass] ?? this.begin(method, route, statusClass);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  private begin(method: string, route: string, statusClass: number): Series {
    const methods = this.series.get(route) ?? new Map<string, Series[]>();
    this.series.set(route, methods);
    const classes = methods.get(method) ?? [];
    methods.set(method, classes);
    const counts = new Array<number>(BOUNDS.length + 1).fill(0);
    return (classes[statusClass] = { labels: { method, route, status: `${statusClass}xx` }, counts, sum: 0 });
  }

  private durations(): typeof DURATION & { readonly values: MetricValueWithName<string>[] } {
    const all = [...this.series.values()].flatMap((methods) => [...methods.values()].flatMap(Object.values<Series>));
    return { ...DURATION, values: all.flatMap(valuesOf) };
  }
}

function valuesOf({ labels, counts, sum }: Series): MetricValueWithName<string>[] {
  let count = 0;
  const buckets = counts.map((more, index) => {
    count += more;
    return { metricName: `${DURATION.name}_bucket`, labels: { ...labels, le: BOUNDS[index] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${DURATION.name}_sum`, labels, value: sum },
    { metricName: `${DURATION.name}_count`, labels, value: count },
  ];
}

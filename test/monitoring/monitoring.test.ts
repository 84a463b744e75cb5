import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetricsText } from '../support/metrics-text.js';
import { TestService } from '../support/service.js';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const ALERTS = 'docs/monitoring/alerts.yml';
const DASHBOARD = 'docs/monitoring/grafana-dashboard.json';

/** Metrics that Prometheus itself creates for every target. */
const OF_PROMETHEUS = new Set(['up']);

/** Returns the names of the metrics in an expression, without histogram suffixes. */
const metricsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\b(?:up(?=\{)|(?:kontor|nodejs|process)_[a-z0-9_]+)/g)].map(([name]) =>
      name.replace(/_seconds_(?:bucket|count|sum)$/, '_seconds'),
    ),
  ),
];

type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] };
const panels = (JSON.parse(textOf(DASHBOARD)) as { readonly panels: readonly Panel[] }).panels;
const alerts = [...textOf(ALERTS).matchAll(/- alert: (\w+)/g)].map(([, name]) => name);

describe('Monitoring', () => {
  let told: ReadonlySet<string>;
  beforeAll(async () => {
    const service = await TestService.start();
    try {
      told = new Set(new MetricsText((await service.get('/metrics')).text).helps.keys());
    } finally {
      await service.close();
    }
  });

  const unknown = (text: string): string[] =>
    metricsIn(text).filter((name) => !told.has(name) && !OF_PROMETHEUS.has(name));

  test('uses only metrics that the service exports', () => {
    expect(metricsIn(textOf(ALERTS)).length).toBeGreaterThan(8);
    expect(unknown(textOf(ALERTS))).toEqual([]);
    for (const { title, targets = [] } of panels)
      expect([title, unknown(targets.map(({ expr }) => expr).join('\n'))]).toEqual([title, []]);
    expect(unknown('rate(kontor_nothing_total[5m])')).toEqual(['kontor_nothing_total']);
  });

  test('uses every metric on the dashboard or in an alert, except positions', () => {
    const shown = new Set([...metricsIn(textOf(DASHBOARD)), ...metricsIn(textOf(ALERTS))]);
    const unseen = [...told].filter((name) => name.startsWith('kontor_') && !shown.has(name));
    expect(unseen.toSorted()).toEqual([
      'kontor_build_info',
      'kontor_event_store_commits_total',
      'kontor_event_store_head_position',
      'kontor_subscriber_in_flight',
      'kontor_subscriber_last_processed_timestamp_seconds',
    ]);
  });

  test('documents exactly the alerts that exist', () => {
    const explained = [...textOf('docs/operations.md').matchAll(/^### (Kontor\w+)$/gm)].map(([, name]) => name);
    expect(explained).toEqual(alerts);
    expect(alerts.length).toBeGreaterThan(10);
  });
});

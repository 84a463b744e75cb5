import type { ErrorReport } from '../../src/aggregates/error-log.aggregate.js';
import { spacingAfter, type NotedError } from '../../src/observability/counted-error.js';
import { conflict, DomainError } from '../../src/eventsourcing/domain-error.js';
import { ErrorCollector } from '../../src/observability/error-collector.js';
import { redactor } from '../../src/security/redaction.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../src/ports/event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { usedMemory } from '../support/used-memory.js';

const broken: NotedError = { fingerprint: 'f', level: 'ERROR', message: 'It broke.' };

/** Creates a collector and a recorder. The recorder stores its input unless a test makes it fail. */
function collecting() {
  const clock = new ManualClock();
  const reports: ErrorReport[] = [];
  const complaints: string[] = [];
  const complain = (_: object, message: string): void => void complaints.push(message);
  const logger = { info: complain, warn: complain, error: complain };
  const collector = new ErrorCollector({ clock, ids: new SeededIds(1), logger, redact: redactor() });
  const recorder: { fault?: Error | undefined; tried: string[] } = { tried: [] };
  const record = (report: ErrorReport): Promise<void> => {
    recorder.tried.push(report.reportId);
    if (recorder.fault) return Promise.reject(recorder.fault);
    reports.push(report);
    return Promise.resolve();
  };
  const attach = (): void => {
    collector.attach(record);
  };
  const note = (noted: Partial<NotedError> = {}): void => {
    collector.note({ ...broken, ...noted });
  };
  const count = (): number => reports.reduce((sum, report) => sum + report.count, 0);
  return { clock, collector, reports, complaints, recorder, attach, note, count };
}

describe('Errors of a process', () => {
  test('are recorded within a second, including those noted before a recorder was attached', async () => {
    const { clock, reports, attach, note, collector } = collecting();
    note({ requestId: 'r-1', tenantId: 't-1', path: '/a' });
    await clock.advance(10_000);
    attach();
    note({ requestId: 'r-2', tenantId: 't-2', userId: 'u', path: '/b' });
    await clock.advance(1_000);
    expect(reports).toEqual([
      {
        reportId: expect.any(String) as string,
        count: 2,
        firstSeenAt: '2026-01-01T00:00:00.000Z',
        lastSeenAt: '2026-01-01T00:00:10.000Z',
        requestIds: ['r-1', 'r-2'],
        tenantIds: ['t-1', 't-2'],
        branchIds: [],
        userIds: ['u'],
        latest: { requestId: 'r-2', path: '/b', tenantId: 't-2', branchId: null, userId: 'u' },
        details: {
          fingerprint: 'f',
          level: 'ERROR',
          message: 'It broke.',
          code: null,
          statusCode: null,
          method: null,
          route: null,
          stack: null,
        },
      },
    ]);
    await collector.close();
  });

  test('that occur by the thousand are counted in ever fewer reports, and none is lost', async () => {
    const { clock, reports, attach, note, count, collector } = collecting();
    attach();
    for (let second = 0; second < 3_600; second += 1) {
      for (let one = 0; one < 10; one += 1) note({ requestId: `r-${second}-${one}` });
      await clock.advance(1_000);
    }
    // The collector reports after 1, 2, 4, 8 and 16 s, and then every 30 s. After ten minutes, the interval is a
    // twentieth of the elapsed time.
    expect(reports.length).toBeLessThan(70);
    expect(reports[1]?.requestIds).toHaveLength(10);
    expect(reports.at(-1)?.requestIds).toHaveLength(100);
    await collector.close();
    expect(count()).toBe(36_000);
    expect(reports.at(-1)?.requestIds.at(-1)).toBe('r-3599-9');
  });

  test('are reported more often while they are new', () => {
    const seconds = [0, 1, 5, 60, 600, 1_200, 7_200, 86_400].map((age) => spacingAfter(age * 1_000) / 1_000);
    expect(seconds).toEqual([1, 1, 5, 30, 30, 60, 300, 300]);
  });

  test('of too many kinds are counted as other errors of their level, in bounded memory', async () => {
    const { clock, reports, attach, note, count, collector } = collecting();
    const before = usedMemory();
    for (let kind = 0; kind < 100_000; kind += 1)
      note({ fingerprint: `kind-${kind}`, message: 'x'.repeat(100), requestId: `r-${kind}`, userId: `u-${kind}` });
    expect(usedMemory() - before).toBeLessThan(5_000_000);
    // Errors caused by unauthenticated callers must leave capacity for the service's own errors, and vice versa.
    note({ fingerprint: 'stranger', level: 'WARN' });
    attach();
    await clock.advance(1_000);
    expect(reports).toHaveLength(302);
    expect(reports.filter(({ details: { level } }) => level === 'WARN').map(({ details }) => details.code)).toEqual([
      null,
    ]);
    const others = reports.filter(({ details: { code } }) => code === 'OTHER_ERRORS');
    expect(others.map((other) => [other.count, other.requestIds.length, other.userIds.length])).toEqual([
      [99_700, 100, 20],
    ]);
    expect(count()).toBe(100_001);
    // After a quiet period, the collector must again distinguish new errors.
    await clock.advance(5 * 60_000 + 1_000);
    note({ fingerprint: 'new' });
    await clock.advance(1_000);
    expect(reports.at(-1)?.details.fingerprint).toBe('new');
    await collector.close();
  });

  test('are kept while the event store is unavailable, and recorded afterwards', async () => {
    const { clock, reports, recorder, complaints, attach, note, count, collector } = collecting();
    attach();
    recorder.fault = new EventStoreUnavailable('away');
    for (let second = 0; second < 600; second += 1) {
      note();
      note({ fingerprint: 'other' });
      await clock.advance(1_000);
    }
    expect(reports).toEqual([]);
    // The collector must neither call the failing recorder continuously nor log every failure.
    expect(recorder.tried.length).toBeLessThan(70);
    expect(complaints.length).toBeLessThanOrEqual(10);
    recorder.fault = undefined;
    await clock.advance(12_000);
    expect(count()).toBe(1_200);
    expect(reports).toHaveLength(3);
    await collector.close();
  });

  test('whose recording has an unknown outcome keep their report id until it is known', async () => {
    const { clock, reports, recorder, attach, note, collector } = collecting();
    attach();
    recorder.fault = new AppendOutcomeUnknown('error-log-platform_x', new Error('cut'));
    note();
    await clock.advance(1_000);
    note();
    await clock.advance(1_000);
    recorder.fault = undefined;
    await clock.advance(5_000);
    expect(reports.map((report) => report.count)).toEqual([1, 1]);
    expect(recorder.tried.length).toBeGreaterThan(2);
    expect(new Set(recorder.tried)).toEqual(new Set(reports.map(({ reportId }) => reportId)));
    await collector.close();
  });

  test('that can never be recorded do not block others', async () => {
    const { clock, collector, complaints } = collecting();
    const tried: string[] = [];
    collector.attach(({ details: { fingerprint } }) => {
      tried.push(fingerprint);
      return fingerprint === 'bad' ? Promise.reject(conflict('BAD', 'Not this one.')) : Promise.resolve();
    });
    collector.note({ ...broken, fingerprint: 'bad' });
    collector.note(broken);
    await clock.advance(3_000);
    expect([tried, complaints]).toEqual([['bad', 'f'], ['errors could not be recorded in the error log; retrying']]);
    await collector.close();
  });

  test('on a contended record are retried', async () => {
    const { clock, reports, recorder, attach, note, collector } = collecting();
    attach();
    recorder.fault = new DomainError('unavailable', 'UNAVAILABLE', 'Contended.');
    note();
    await clock.advance(1_000);
    recorder.fault = undefined;
    await clock.advance(1_000);
    expect(reports).toHaveLength(1);
    await collector.close();
  });

  test('are recorded at shutdown, within two seconds', async () => {
    const { reports, attach, note, collector } = collecting();
    attach();
    note();
    await collector.close();
    expect(reports).toHaveLength(1);

    const { clock, collector: hanging, note: noteToo } = collecting();
    hanging.attach(() => new Promise(() => undefined));
    noteToo();
    let isClosed = false;
    const closing = hanging.close().then(() => (isClosed = true));
    await clock.advance(1_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closing;
  });

  test('keep their first and last times when the clock goes back', async () => {
    const { clock, reports, attach, note, collector } = collecting();
    attach();
    note();
    clock.jump(-3_600_000);
    note();
    await clock.advance(1_000);
    expect(reports.map(({ firstSeenAt, lastSeenAt }) => [firstSeenAt, lastSeenAt])).toEqual([
      ['2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ]);
    await collector.close();
  });

  test('are redacted before they are recorded', async () => {
    const { clock, reports, attach, note, collector } = collecting();
    attach();
    note({
      message: 'mongodb://root:hunter2@db is away',
      stack: 'at connect (src/x:1)\ncaused by Error: password=hunter2',
      path: '/api/x/bearer hunter2hunter2',
      code: 'token=hunter2',
    });
    await clock.advance(1_000);
    expect(JSON.stringify(reports)).not.toContain('hunter2');
    expect(reports[0]?.details.stack).toContain('at connect (src/x:1)\ncaused by');
    await collector.close();
  });
});

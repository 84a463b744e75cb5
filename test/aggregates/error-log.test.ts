import {
  countErrors,
  errorLog,
  errorLogId,
  expireErrors,
  isClosed,
  isReported,
  resolveErrors,
  type ErrorLogEvent,
  type ErrorReport,
} from '../../src/aggregates/error-log.aggregate.js';
import { given, NOW } from './given.js';

const details: ErrorReport['details'] = {
  fingerprint: 'f0',
  level: 'ERROR',
  message: 'It broke.',
  code: 'INTERNAL',
  statusCode: 500,
  method: 'GET',
  route: '/api/kites/:id',
  stack: 'at fly (src/kite:1)',
};
const counts: Omit<ErrorReport, 'details'> = {
  reportId: 'report-1',
  count: 3,
  firstSeenAt: '2026-03-01T10:00:00.000Z',
  lastSeenAt: '2026-03-01T10:00:01.000Z',
  requestIds: ['r-1', 'r-2', 'r-3'],
  tenantIds: ['t'],
  branchIds: [],
  userIds: [],
  latest: { requestId: 'r-3', path: '/api/kites/1', tenantId: 't', branchId: null, userId: null },
};
const report: ErrorReport = { ...counts, details };
const first: ErrorLogEvent = { type: 'ErrorOccurred', data: report };
const another = { ...counts, reportId: 'report-2', lastSeenAt: '2026-03-02T10:00:00.000Z' };
const resolved: ErrorLogEvent = { type: 'ErrorResolved', data: { at: NOW.toISOString() } };
const expired: ErrorLogEvent = { type: 'ErrorLogExpired', data: { at: NOW.toISOString() } };

describe('An error', () => {
  test('is described by its first report, and only counted by later ones', () => {
    given(errorLog, []).when(countErrors, report).then(first);
    given(errorLog, [first])
      .when(countErrors, { ...another, details })
      .then({ type: 'ErrorOccurred', data: another });
  });
  test('is not counted twice by the same report', () => {
    given(errorLog, [first]).when(countErrors, report).changesNothing();
    given(errorLog, [first, { type: 'ErrorOccurred', data: another }])
      .when(countErrors, report)
      .changesNothing();
    const { state } = given(errorLog, [first, resolved]);
    expect([isReported(state, 'report-1'), isReported(state, 'report-9')]).toEqual([true, false]);
  });
  test('is resolved once', () => {
    given(errorLog, [first]).when(resolveErrors, {}).then(resolved);
    given(errorLog, [first, resolved]).when(resolveErrors, {}).isRefused('conflict ALREADY_RESOLVED');
    given(errorLog, [first, expired]).when(resolveErrors, {}).isRefused('not_found NOT_FOUND');
    given(errorLog, []).when(resolveErrors, {}).isRefused('not_found NOT_FOUND');
  });
  test('is not counted on a record that is resolved or hidden', () => {
    for (const end of [resolved, expired]) {
      const closed = given(errorLog, [first, end]);
      expect(isClosed(closed.state)).toBe(true);
      closed.when(countErrors, { ...another, details }).changesNothing();
    }
    expect([given(errorLog, []), given(errorLog, [first])].map(({ state }) => isClosed(state))).toEqual([false, false]);
  });
  test('has the same record ids in every process', () => {
    expect(errorLogId('f0', 0)).toBe('d04b5195-c067-534b-9ba9-4439d8c55058');
    expect(new Set([errorLogId('f0', 0), errorLogId('f0', 1), errorLogId('f1', 0)]).size).toBe(3);
  });
});

describe('The record of an error', () => {
  const retention = { resolvedBefore: '2026-03-02T00:00:00.000Z', unresolvedBefore: '2026-02-01T00:00:00.000Z' };
  const later = { ...retention, unresolvedBefore: '2026-03-01T10:00:01.001Z' };

  test('is hidden if it has not been seen for a long time, and sooner if it is resolved', () => {
    given(errorLog, [first]).when(expireErrors, retention).changesNothing();
    given(errorLog, [first]).when(expireErrors, later).then(expired);
    given(errorLog, [first, resolved]).when(expireErrors, retention).then(expired);
  });
  test('is kept if the error was seen again', () => {
    const again: ErrorLogEvent = { type: 'ErrorOccurred', data: another };
    given(errorLog, [first, again]).when(expireErrors, later).changesNothing();
    given(errorLog, [first, again, resolved]).when(expireErrors, retention).changesNothing();
    // Another process reports an earlier occurrence after a later occurrence has been recorded.
    given(errorLog, [again, first]).when(expireErrors, later).changesNothing();
  });
  test('is hidden once', () => {
    given(errorLog, [first, expired]).when(expireErrors, later).changesNothing();
    given(errorLog, []).when(expireErrors, later).changesNothing();
  });
});

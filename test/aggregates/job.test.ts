import { abandonRun, cancelRun, pauseRun, resumeRun } from '../../src/aggregates/job-control.js';
import {
  claimRun,
  finishRun,
  job,
  recordSchedule,
  reportProgress,
  scheduledExecutionId,
  startJob,
  type JobEvent,
} from '../../src/aggregates/job.aggregate.js';
import { executionLogOf } from '../../src/aggregates/job-execution.js';
import { given, NOW } from './given.js';

const at = NOW.toISOString();
const later = new Date(NOW.getTime() + 5_000);
const execution = { executionId: 'run-1', trigger: 'MANUAL', triggeredBy: 'operator-1', startedAt: at } as const;
const { startedAt: _, ...asked } = execution;
const manual = { ...asked, scheduledFor: null, parameters: { keep: 7 } };
const started: JobEvent = { type: 'JobStarted', data: { ...manual, startedAt: at } };
const claimed = (runner: string, term = 3): JobEvent => ({
  type: 'JobClaimed',
  data: { ...execution, runner, term, claimedAt: at },
});
const progressed: JobEvent = { type: 'JobProgressed', data: { ...execution, progress: 40, message: 'half', at } };
const succeeded: JobEvent = {
  type: 'JobSucceeded',
  data: { ...execution, message: 'Done.', artifact: null, finishedAt: later.toISOString() },
};
const me = { executionId: 'run-1', runner: 'me' };
const done = { status: 'SUCCEEDED', message: 'Done.', artifact: null } as const;

const nine = '2026-03-04T09:00:00.000Z';
const scheduled = (scheduledFor: string) => {
  const executionId = scheduledExecutionId('toy', scheduledFor);
  return { executionId, trigger: 'SCHEDULE', triggeredBy: null, scheduledFor, parameters: {} } as const;
};
const startedFor = (scheduledFor: string): JobEvent => ({
  type: 'JobStarted',
  data: { ...scheduled(scheduledFor), startedAt: at },
});
const endOf = ({ data }: JobEvent): JobEvent => ({
  type: 'JobFailed',
  data: { ...(data as typeof execution), progress: 0, message: null, error: 'x', finishedAt: at },
});

describe('A job', () => {
  test('runs once at a time: it starts only while no run is in progress', () => {
    given(job, []).when(startJob, manual).then(started);
    const another = { ...manual, executionId: 'run-2' };
    given(job, [started]).when(startJob, another).isRefused('conflict JOB_ALREADY_RUNNING');
    given(job, [started, claimed('me')])
      .when(startJob, another)
      .isRefused('conflict JOB_ALREADY_RUNNING');
    given(job, [started, claimed('me'), succeeded])
      .when(startJob, { ...manual, executionId: 'run-2' })
      .then({ type: 'JobStarted', data: { ...manual, executionId: 'run-2', startedAt: at } });
  });

  test('is not started again by a repeated request, even after other runs', () => {
    given(job, [started]).when(startJob, manual).changesNothing();
    given(job, [started, succeeded, startedFor(nine)])
      .when(startJob, manual)
      .changesNothing();
  });

  test('is started once for each scheduled instant, whoever triggers it and however late', () => {
    given(job, []).when(startJob, scheduled(nine)).then(startedFor(nine));
    given(job, [startedFor(nine)])
      .when(startJob, scheduled(nine))
      .changesNothing();
    const over = [startedFor(nine), endOf(startedFor(nine))];
    given(job, over).when(startJob, scheduled(nine)).changesNothing();
    given(job, over).when(startJob, scheduled('2026-03-04T08:00:00.000Z')).changesNothing();
    const ten = '2026-03-04T10:00:00.000Z';
    given(job, over).when(startJob, scheduled(ten)).then(startedFor(ten));
    given(job, [...over, started])
      .when(startJob, scheduled(ten))
      .isRefused('conflict JOB_ALREADY_RUNNING');
  });

  test('is not kept from its schedule by an instant that only a wrong clock can have reached', () => {
    const far = startedFor('2099-01-01T00:00:00.000Z');
    given(job, [far, endOf(far)])
      .when(startJob, scheduled(nine))
      .then(startedFor(nine));
  });

  test('has a separate run for every other instant', () => {
    const ids = [nine, '2026-03-04T10:00:00.000Z'].map((instant) => scheduledExecutionId('toy', instant));
    expect(new Set([...ids, scheduledExecutionId('other', nine)]).size).toBe(3);
  });

  test('records its current pattern, and the time since which it applies', () => {
    const pattern = '0 3 * * *';
    const recorded: JobEvent = { type: 'JobScheduleRecorded', data: { pattern, since: at } };
    given(job, []).when(recordSchedule, { pattern }).then(recorded);
    given(job, [recorded]).when(recordSchedule, { pattern }).changesNothing();
    given(job, []).when(recordSchedule, { pattern: null }).changesNothing();
    const off: JobEvent = { type: 'JobScheduleRecorded', data: { pattern: null, since: at } };
    given(job, [recorded]).when(recordSchedule, { pattern: null }).then(off);
    given(job, [recorded, off]).when(recordSchedule, { pattern }).then(recorded);
  });
});

describe('A run', () => {
  test('belongs to the first process that claims it', () => {
    given(job, [started])
      .when(claimRun, { ...me, term: 3 })
      .then(claimed('me'));
    given(job, [started, claimed('other')])
      .when(claimRun, { ...me, term: 4 })
      .changesNothing();
    given(job, [started, claimed('me'), succeeded])
      .when(claimRun, { ...me, term: 4 })
      .changesNothing();
    given(job, [])
      .when(claimRun, { ...me, term: 4 })
      .changesNothing();
  });

  test('is ended and reported only by the process it belongs to', () => {
    const report = { ...me, progress: 40, message: 'half' };
    given(job, [started, claimed('me')])
      .when(reportProgress, report)
      .then(progressed);
    given(job, [started, claimed('me'), progressed])
      .when(finishRun, { ...me, end: done }, later)
      .then(succeeded);
    for (const history of [
      [],
      [started],
      [started, claimed('other')],
      [started, claimed('me'), succeeded],
      [started, claimed('me'), endOf(started)],
    ]) {
      given(job, history)
        .when(finishRun, { ...me, end: done })
        .changesNothing();
      given(job, history).when(reportProgress, report).changesNothing();
    }
    given(job, [started, claimed('me'), endOf(started), startedFor(nine), claimed('me')])
      .when(finishRun, { ...me, end: done })
      .changesNothing();
  });

  test('keeps its last progress when it fails', () => {
    const end = { status: 'FAILED', error: 'The disk is full.', progress: 41, message: 'more' } as const;
    const { status: _status, ...told } = end;
    given(job, [started, claimed('me'), progressed])
      .when(finishRun, { ...me, end })
      .then({ type: 'JobFailed', data: { ...execution, ...told, finishedAt: at } });
  });

  test('is abandoned when its process is gone, unless it has ended or never began', () => {
    const gone = { executionId: 'run-1', error: 'Gone.' };
    given(job, [started, claimed('other'), progressed])
      .when(abandonRun, gone)
      .then({
        type: 'JobFailed',
        data: { ...execution, progress: 40, message: 'half', error: 'Gone.', finishedAt: at },
      });
    given(job, [started]).when(abandonRun, gone).changesNothing();
    given(job, [started, claimed('other'), succeeded])
      .when(abandonRun, gone)
      .changesNothing();
    given(job, [
      startedFor(nine),
      { ...claimed('other'), data: { ...claimed('x').data, executionId: 'other' } } as JobEvent,
    ])
      .when(abandonRun, gone)
      .changesNothing();
  });

  test('is contained completely in each of its events', () => {
    const running = {
      ...{ id: 'run-1', status: 'RUNNING', trigger: 'MANUAL', triggeredBy: 'operator-1', startedAt: at },
      ...{ createdAt: at, updatedAt: at },
      ...{ finishedAt: null, durationMs: null, progress: 0, message: null, error: null, artifact: null },
      revision: 7,
    };
    expect(executionLogOf(started, 7)).toEqual(running);
    expect(executionLogOf(claimed('me'), 7)).toBeUndefined();
    expect(executionLogOf(progressed, 7)).toEqual({
      ...running,
      ...{ updatedAt: expect.stringMatching(/Z$/) as string, progress: 40, message: 'half' },
    });
    const finishedAt = later.toISOString();
    expect(executionLogOf(succeeded, 7)).toEqual({
      ...running,
      ...{ status: 'SUCCEEDED', updatedAt: finishedAt, finishedAt, durationMs: 5_000, progress: 100, message: 'Done.' },
    });
    expect(executionLogOf(endOf(started), 7)).toEqual({
      ...running,
      ...{ status: 'FAILED', finishedAt: at, durationMs: 0, error: 'x' },
    });
    const { state } = given(job, [started, claimed('me'), progressed]);
    expect(state.last).toEqual(executionLogOf(progressed, 2));
  });
});

describe('A resumable run', () => {
  const run = { executionId: 'run-1', canPause: true };
  const stage = { ...execution, progress: 40, message: 'half' };
  const paused: JobEvent = { type: 'JobPaused', data: { ...stage, pausedAt: at } };
  const resumed: JobEvent = { type: 'JobResumed', data: { ...stage, resumedAt: at } };
  const cancelled: JobEvent = { type: 'JobCancelled', data: { ...stage, finishedAt: at } };
  const running = [started, claimed('me'), progressed];

  test('is paused where it is, once, and only if its job can pause', () => {
    given(job, running).when(pauseRun, run).then(paused);
    given(job, [...running, paused])
      .when(pauseRun, run)
      .isRefused('conflict JOB_ALREADY_PAUSED');
    given(job, running)
      .when(pauseRun, { ...run, canPause: false })
      .isRefused('conflict JOB_CANNOT_PAUSE');
  });

  test('is resumed only while it is paused, by a runner that claims it again', () => {
    given(job, running).when(resumeRun, run).isRefused('conflict JOB_NOT_PAUSED');
    given(job, [...running, paused])
      .when(claimRun, { ...me, runner: 'other', term: 4, instead: 'me' })
      .changesNothing();
    given(job, [...running, paused])
      .when(resumeRun, run)
      .then(resumed);
    given(job, [...running, paused, resumed])
      .when(claimRun, { ...me, runner: 'other', term: 4 })
      .then(claimed('other', 4));
  });

  test('is continued by a new runner instead of the one whose process is gone, and of no other', () => {
    given(job, running)
      .when(claimRun, { ...me, runner: 'other', term: 4, instead: 'me' })
      .then(claimed('other', 4));
    given(job, running)
      .when(claimRun, { ...me, runner: 'other', term: 4, instead: 'third' })
      .changesNothing();
  });

  test('is cancelled whether it is running or paused, and then nothing can change it', () => {
    given(job, running).when(cancelRun, run).then(cancelled);
    given(job, [...running, paused])
      .when(cancelRun, run)
      .then(cancelled);
    for (const decide of [pauseRun, resumeRun, cancelRun])
      given(job, [...running, cancelled])
        .when(decide, run)
        .isRefused('conflict JOB_ALREADY_FINISHED');
    given(job, [...running, cancelled])
      .when(startJob, { ...manual, executionId: 'run-2' })
      .then({ type: 'JobStarted', data: { ...manual, executionId: 'run-2', startedAt: at } });
  });

  test('records its checkpoint even after it was paused, and remains paused', () => {
    const report = { progress: 41, message: 'more', checkpoint: { after: 'x' } };
    const data = { ...execution, progress: 41, message: 'more', at, checkpoint: { after: 'x' } };
    given(job, running)
      .when(reportProgress, { ...me, ...report })
      .then({ type: 'JobProgressed', data });
    const late: JobEvent = { type: 'JobProgressed', data: { ...data, isPaused: true } };
    given(job, [...running, paused])
      .when(reportProgress, { ...me, ...report })
      .then(late);
    expect([paused, late, resumed, cancelled].map((event) => executionLogOf(event, 7)?.status)).toEqual([
      'PAUSED',
      'PAUSED',
      'RUNNING',
      'CANCELLED',
    ]);
  });
});

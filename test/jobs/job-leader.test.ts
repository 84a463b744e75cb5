import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { MemoryLeaseStore } from '../../src/adapters/embedded/lease-store.js';
import { job as aggregate, startJob, type JobState } from '../../src/aggregates/job.aggregate.js';
import type { ExecutionLog } from '../../src/aggregates/job-execution.js';
import { catalogue } from '../../src/app/catalogue.js';
import { JobLeader, JOBS_LEASE } from '../../src/jobs/job-leader.js';
import { PROCESS_GONE, ENDED_EARLY } from '../../src/jobs/job-runner.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { Leadership, type Led } from '../../src/projecting/leadership.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import type { Lease, LeaseStore } from '../../src/ports/lease-store.js';
import type { Logger } from '../../src/ports/log.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { factsOf, ToyJob } from '../support/toy-job.js';
import { until } from '../support/while-time-passes.js';

const TARGET = { tenantId: PLATFORM_TENANT, id: 'toy' };

let directory: string;
let store: EmbeddedEventStore;
let leases: MemoryLeaseStore;
let replicas: Replica[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
  leases = new MemoryLeaseStore();
  replicas = [];
});
afterEach(async () => {
  for (const replica of replicas) await replica.leave();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** A replica with a separate clock and separate memory. All replicas share the history and the leases. */
class Replica {
  readonly clock = new ManualClock(Date.UTC(2026, 10, 21, 12));
  readonly toy = new ToyJob();
  readonly events = new FaultyEventStore(store);
  readonly complaints: string[] = [];
  /** While true, the process is paused, or disconnected from the lease store. */
  isCutOff = false;
  private readonly runner: CommandRunner;
  private readonly reader: RecordReader;
  private readonly ids: SeededIds;
  private led: Led | undefined;

  constructor(readonly name: string) {
    const { events, clock } = this;
    this.ids = new SeededIds(name.charCodeAt(0) * 1_000 + replicas.length);
    this.reader = new RecordReader(events, catalogue, clock);
    const appender = new Appender(events, catalogue, clock);
    const claims = new Claims(this.reader, appender, catalogue, clock, this.ids);
    const memberships = new Memberships(this.reader, appender, catalogue, clock, this.ids);
    this.runner = new CommandRunner(this.reader, appender, claims, memberships, clock, () => 0);
    replicas.push(this);
  }

  leader(isEnabled = false): JobLeader {
    const { clock, events, reader, runner, toy, ids, logger } = this;
    const jobs = { jobs: new Map([['toy', factsOf(toy, isEnabled)]]) };
    return new JobLeader(events, catalogue, runner, reader, [toy], jobs, clock, ids, logger);
  }

  private get logger(): Logger {
    const complain = (_: object, message: string): void => void this.complaints.push(message);
    return { info: () => undefined, warn: complain, error: complain };
  }

  /** Starts the replica, which becomes the leader or stands by. */
  join(isEnabled = false): this {
    const leader = this.leader(isEnabled);
    const way: Pick<LeaseStore, 'read' | 'replace'> = {
      read: (name) => this.cross(() => leases.read(name)),
      replace: (name, expected: Lease | undefined, next: Lease) =>
        this.cross(() => leases.replace(name, expected, next)),
    };
    const leadership = new Leadership(way, this.clock, this.logger, { holder: this.name });
    this.led = leadership.lead(JOBS_LEASE, (term, stale) => leader.begin(term, stale));
    return this;
  }

  async trigger(): Promise<string> {
    const executionId = this.ids.next();
    const start = { executionId, trigger: 'MANUAL', triggeredBy: 'me', scheduledFor: null, parameters: {} } as const;
    const actor = { kind: 'system', name: 'test' } as const;
    const origin = { requestId: executionId, correlationId: executionId, commandId: executionId };
    await inContext({ tenantId: PLATFORM_TENANT, actor, ...origin }, () =>
      this.runner.execute(aggregate, TARGET, start, startJob),
    );
    return executionId;
  }

  async state(): Promise<JobState> {
    return (await this.reader.read(aggregate, TARGET.tenantId, TARGET.id)).state;
  }

  async last(): Promise<ExecutionLog | null> {
    return (await this.state()).last;
  }

  /** Advances only this replica's clock. */
  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(this.clock, condition);
  }

  async leave(): Promise<void> {
    this.isCutOff = false;
    this.events.away = false;
    const leaving = { isOver: false };
    const left = (this.led?.stop() ?? Promise.resolve()).then(() => (leaving.isOver = true));
    this.led = undefined;
    await this.until(() => leaving.isOver);
    await left;
  }

  private async cross<T>(call: () => Promise<T>): Promise<T> {
    if (this.isCutOff) throw new ReadStoreUnavailable('The leases cannot be reached');
    return call();
  }
}

const codeOf = (error: unknown): string => (error instanceof DomainError ? error.code : String(error));
const eventTypes = async (): Promise<string[]> =>
  (await store.readStream('job-platform_toy')).events.map(({ type }) => type);

describe('Two replicas', () => {
  test('start one run for concurrent requests, executed by one of them', async () => {
    const [a, b] = [new Replica('a').join(), new Replica('b').join()];
    const asked = await Promise.allSettled([a.trigger(), b.trigger(), b.trigger(), a.trigger()]);
    const refusals = asked.flatMap((one) => (one.status === 'rejected' ? [codeOf(one.reason)] : []));
    expect(refusals).toEqual(Array<string>(3).fill('JOB_ALREADY_RUNNING'));
    await a.until(() => a.toy.runs.length + b.toy.runs.length > 0);
    const [runner] = [a, b].filter(({ toy }) => toy.runs.length === 1);
    runner?.toy.latest.finish({ message: 'Done.' });
    await a.until(async () => (await a.state()).run === null);
    expect(await b.last()).toMatchObject({ status: 'SUCCEEDED', message: 'Done.' });
    expect(a.toy.runs.length + b.toy.runs.length).toBe(1);
    await b.trigger();
  });

  test('execute a job triggered without a leader once there is one', async () => {
    const a = new Replica('a');
    const executionId = await a.trigger();
    expect(await a.state()).toMatchObject({ run: { claim: null } });
    const b = new Replica('b').join();
    await b.until(() => b.toy.runs.length === 1);
    expect(b.toy.latest.run.executionId).toBe(executionId);
  });
});

describe('A leader that disappears during a run', () => {
  async function leftBehind(): Promise<{ a: Replica; b: Replica; executionId: string }> {
    const a = new Replica('a').join();
    await a.until(async () => (await leases.read(JOBS_LEASE))?.holder === 'a');
    const executionId = await a.trigger();
    await a.until(() => a.toy.runs.length === 1);
    // From here on, the clock of replica `a` stands still, as if its process were paused or had ended.
    const b = new Replica('b').join();
    await b.until(async () => (await leases.read(JOBS_LEASE))?.holder === 'b');
    return { a, b, executionId };
  }

  test('leaves a failed run, after which the job runs elsewhere', async () => {
    const { b, executionId } = await leftBehind();
    await b.until(async () => (await b.state()).run === null);
    expect(await b.last()).toMatchObject({ id: executionId, status: 'FAILED', error: PROCESS_GONE });
    await b.trigger();
    await b.until(() => b.toy.runs.length === 1);
    b.toy.latest.finish({ message: 'Done by another.' });
    await b.until(async () => (await b.state()).run === null);
    expect(await b.last()).toMatchObject({ status: 'SUCCEEDED', message: 'Done by another.' });
  });

  test('cannot change its run when it returns, and does not lead', async () => {
    const { a, b, executionId } = await leftBehind();
    await b.until(async () => (await b.state()).run === null);
    const before = await eventTypes();
    // Once `a` learns that its run has been ended, it signals the run to stop.
    await a.until(() => a.toy.latest.run.signal.aborted);
    a.toy.latest.finish({ message: 'Too late.' });
    a.toy.latest.run.report(99, 'too late');
    await a.until(() => a.complaints.includes('a job ended after another process had ended its run'));
    expect(await eventTypes()).toEqual(before);
    expect(await b.last()).toMatchObject({ id: executionId, status: 'FAILED' });
    await b.trigger();
    await b.until(() => b.toy.runs.length === 1);
    expect(a.toy.runs).toHaveLength(1);
  });
});

describe('A leader', () => {
  test('that loses its lease aborts its runs', async () => {
    const a = new Replica('a').join();
    await a.trigger();
    await a.until(() => a.toy.runs.length === 1);
    a.isCutOff = true;
    await a.until(() => a.toy.latest.run.signal.aborted);
    await a.until(async () => (await a.state()).run === null);
    expect(await a.last()).toMatchObject({ status: 'FAILED', error: ENDED_EARLY });
  });

  test('that stops aborts its runs, even unresponsive ones, and records it', async () => {
    const a = new Replica('a').join();
    await a.trigger();
    await a.until(() => a.toy.runs.length === 1);
    a.toy.heedsItsSignal = false;
    await a.leave();
    expect(await a.last()).toMatchObject({ status: 'FAILED', error: ENDED_EARLY });
    const before = await eventTypes();
    a.toy.latest.finish({ message: 'After all.' });
    const b = new Replica('b').join();
    await b.trigger();
    await b.until(() => b.toy.runs.length === 1);
    expect((await eventTypes()).slice(0, before.length)).toEqual(before);
  });

  test('that was paused does not end the run of its successor', async () => {
    const a = new Replica('a').join();
    await a.until(async () => (await leases.read(JOBS_LEASE))?.holder === 'a');
    const b = new Replica('b').join();
    await b.until(async () => (await leases.read(JOBS_LEASE))?.holder === 'b');
    await b.trigger();
    await b.until(() => b.toy.runs.length === 1);
    // The replica began its term and was then paused. It reads the pending work only after the pause.
    const late = new Replica('late');
    const leader = late.leader();
    const stale = new AbortController();
    const term = await leader.begin(1, stale.signal);
    await late.clock.advance(5_000);
    expect((await b.state()).run).not.toBeNull();
    stale.abort();
    const stopped = { is: false };
    void term.stop().then(() => (stopped.is = true));
    await late.until(() => stopped.is);
    expect((await b.state()).run).not.toBeNull();
    b.toy.latest.finish({ message: 'Undisturbed.' });
    await b.until(async () => (await b.state()).run === null);
    expect(await b.last()).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('aborts a run that another leader ended, even while it still leads', async () => {
    const a = new Replica('a').join();
    await a.trigger();
    await a.until(() => a.toy.runs.length === 1);
    a.toy.heedsItsSignal = false;
    const other = new Replica('other');
    const term = await other.leader().begin(99, new AbortController().signal);
    await other.until(async () => (await other.state()).run === null);
    await a.until(() => a.toy.latest.run.signal.aborted);
    expect((await leases.read(JOBS_LEASE))?.holder).toBe('a');
    await a.trigger();
    const stopped = { is: false };
    void term.stop().then(() => (stopped.is = true));
    await other.until(() => stopped.is);
  });

  test('also ends runs of later terms if the leases were reset', async () => {
    const a = new Replica('a').join();
    await a.until(async () => (await leases.read(JOBS_LEASE))?.holder === 'a');
    await a.leave();
    const b = new Replica('b').join();
    await b.trigger();
    await b.until(() => b.toy.runs.length === 1);
    expect((await b.state()).run?.claim?.term).toBeGreaterThan(1);
    leases = new MemoryLeaseStore();
    const c = new Replica('c').join();
    await c.until(async () => (await c.state()).run === null);
    expect(await c.last()).toMatchObject({ status: 'FAILED', error: PROCESS_GONE });
    expect(c.clock.monotonicMs()).toBeGreaterThanOrEqual(6_000);
  });

  test('continues after an event store outage: a run that ended meanwhile is recorded', async () => {
    const a = new Replica('a').join();
    await a.trigger();
    await a.until(() => a.toy.runs.length === 1);
    a.events.away = true;
    a.toy.latest.finish({ message: 'Done in the dark.' });
    await a.until(() => a.complaints.some((line) => line.includes('could not be recorded')));
    a.events.away = false;
    await a.until(async () => (await a.state()).run === null);
    expect(await a.last()).toMatchObject({ status: 'SUCCEEDED', message: 'Done in the dark.' });
    await a.trigger();
    await a.until(() => a.toy.runs.length === 2);
  });

  test('runs scheduled jobs, and a job with outdated parameters fails', async () => {
    const a = new Replica('a').join(true);
    await a.until(async () => (await eventTypes()).includes('JobScheduleRecorded'));
    a.clock.jump(16 * 3_600_000);
    await a.until(() => a.toy.runs.length === 1);
    expect((await a.state()).run?.execution).toMatchObject({ trigger: 'SCHEDULE', triggeredBy: null });
    a.toy.latest.finish({ message: 'Done.' });
    await a.until(async () => (await a.state()).run === null);
    Object.assign(a.toy, {
      parameters: {
        parse: () => {
          throw new Error('No such parameters.');
        },
      },
    });
    await a.trigger();
    await a.until(async () => (await a.state()).run === null);
    expect(await a.last()).toMatchObject({ status: 'FAILED', error: 'No such parameters.' });
  });
});

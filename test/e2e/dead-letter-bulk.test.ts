import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { parkedLetter } from '../support/parked-letter.js';
import { isReplay, messagesIn } from '../support/stored-messages.js';
import { call, KontorProcess, openBooks, pause, PLAIN, signInAgain, until, withDirectory } from './kontor-process.js';
import type { Books } from './kontor-process.js';

const LETTERS = Number(process.env['LETTERS'] ?? 200);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 50);
const AT_ONCE = 20;

type Run = { readonly id: string; readonly status: string; readonly progress: number; readonly message: string | null };

/** Parks a dead letter for each customer in the history of a data directory. */
async function parkAll(directory: string): Promise<number> {
  const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  const made = await store.readAll({ filter: { on: 'type', prefixes: ['CustomerCreated'] }, maxCount: 1_000_000 });
  for (const event of made) {
    const tenantId = (event.metadata as { tenantId: string }).tenantId;
    await store.append(parkedLetter(event, tenantId));
  }
  await store.close();
  return made.length;
}

/** The service with a dead letter for each of its customers. */
class Letters {
  parked = 0;
  kontor: KontorProcess | undefined;
  url = '';
  private operator = '';
  private books: Books | undefined;

  constructor(private readonly directory: string) {}

  async park(count: number): Promise<void> {
    this.kontor = await KontorProcess.ready(this.directory, PLAIN);
    this.url = await this.kontor.url();
    this.books = await openBooks(this.url);
    const { token } = this.books;
    const create = (n: number) => call(`${this.url}/api/customers`, { token, body: { name: `C ${n}` } });
    for (let made = 0; made < count; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(made + n)));
    await this.kontor.stop();
    this.parked = await parkAll(this.directory);
    await this.restart();
  }

  async restart(): Promise<void> {
    this.kontor = await KontorProcess.ready(this.directory, PLAIN);
    this.url = await this.kontor.url();
    await until(
      async () => (await fetch(`${this.url}/readyz`)).status,
      (status) => status === 200,
    );
    this.books = await signInAgain(this.url, this.books as Books);
    this.operator = this.books.operator;
  }

  async replay(perSecond: number): Promise<void> {
    await this.post('/dead-letters/replay', { filter: { code: 'REFUSED' }, dryRun: false, perSecond });
  }

  async run(): Promise<Run> {
    const logs = `${this.url}/api/platform/jobs/logs?pageNumber=1&pageSize=5&search=dead-letter-replay`;
    const { items } = await call<{ items: Run[] }>(logs, { token: this.operator });
    return items[0] as Run;
  }

  async change(what: 'pause' | 'resume'): Promise<void> {
    await this.post(`/jobs/execution/${(await this.run()).id}/${what}`, {});
  }

  /** Returns the number of messages that were sent for each replayed dead letter. */
  repeats(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { payload } of messagesIn(this.directory).filter(isReplay)) {
      const { id: event } = JSON.parse(payload) as { id: string };
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
    return counts;
  }

  async grown(from: number): Promise<void> {
    await until(
      () => Promise.resolve(this.repeats().size),
      (count) => count > from,
    );
  }

  async expectEachOnce(): Promise<void> {
    const done = await until(
      () => this.run(),
      ({ status }) => status !== 'RUNNING',
    );
    const message = `${this.parked} of ${this.parked} replayed, 0 failed again.`;
    expect(done).toMatchObject({ status: 'SUCCEEDED', message });
    const counts = this.repeats();
    expect([counts.size, Math.max(...counts.values())]).toEqual([this.parked, 1]);
  }

  private post(path: string, body: object): Promise<unknown> {
    return call(`${this.url}/api/platform${path}`, { method: 'POST', token: this.operator, body });
  }
}

test('A bulk run at a low rate shows its progress within two seconds, even after it has been paused', async () => {
  await withDirectory(async (directory) => {
    const letters = new Letters(directory);
    await letters.park(60);
    await letters.replay(20);
    await letters.grown(35);
    await letters.change('pause');
    const run = await until(
      () => letters.run(),
      ({ status }) => status === 'PAUSED',
    );
    expect(Number.parseInt(run.message ?? '', 10)).toBeGreaterThan(0);
    expect(run.progress).toBeGreaterThan(0);
    await letters.kontor?.stop();
  });
}, 120_000);

test('A bulk run replays each letter once, even if it is paused, and killed while paused and while running', async () => {
  await withDirectory(async (directory) => {
    const letters = new Letters(directory);
    await letters.park(LETTERS);
    const { parked } = letters;
    await letters.replay(PER_SECOND);
    await letters.grown(parked / 8);
    await letters.change('pause');
    await until(
      () => letters.run(),
      ({ status }) => status === 'PAUSED',
    );
    await letters.kontor?.stop('SIGKILL');
    const whilePaused = letters.repeats().size;
    await letters.restart();
    expect(await letters.run()).toMatchObject({ status: 'PAUSED' });
    await letters.change('resume');
    await letters.grown(whilePaused + parked / 8);
    await letters.kontor?.stop('SIGKILL');
    const killed = letters.repeats().size;
    await letters.restart();
    await letters.expectEachOnce();
    process.stdout.write(`killed while paused after ${whilePaused}, and while running after ${killed} of ${parked}\n`);
    await letters.kontor?.stop();
  });
}, 300_000);

const LOCKED_MS = 2_000;
const SLOW_MS = 100;
const PAUSE_MS = 10;

test('Requests do not wait while a bulk run cannot publish, and each letter is replayed once', async () => {
  await withDirectory(async (directory) => {
    const letters = new Letters(directory);
    await letters.park(100);
    await letters.replay(50);
    await letters.grown(10);
    const broker = new DatabaseSync(join(directory, 'broker.sqlite'), { timeout: 5_000 });
    broker.exec('BEGIN IMMEDIATE');
    const beganMs = performance.now();
    let slowMs = 0;
    while (performance.now() - beganMs < LOCKED_MS) {
      const askedMs = performance.now();
      expect((await fetch(`${letters.url}/livez`)).status).toBe(200);
      const tookMs = performance.now() - askedMs;
      if (tookMs > SLOW_MS) slowMs += tookMs;
      await pause(PAUSE_MS);
    }
    broker.exec('ROLLBACK');
    broker.close();
    process.stdout.write(`slow requests took ${Math.round(slowMs)} of ${LOCKED_MS} ms\n`);
    expect(slowMs).toBeLessThan(LOCKED_MS / 2);
    await letters.expectEachOnce();
    await letters.kontor?.stop();
  });
});

import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { parkedLetter } from '../support/parked-letter.js';
import { messagesIn } from '../support/stored-messages.js';
import { call, KontorProcess, openBooks, PLAIN, signInAgain, until, withDirectory } from './kontor-process.js';
import type { Books } from './kontor-process.js';

const LETTERS = Number(process.env['LETTERS'] ?? 400);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 100);
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

test('A bulk run replays each letter once, although it is paused, and killed while paused and while running', async () => {
  await withDirectory(async (directory) => {
    let kontor = await KontorProcess.ready(directory, PLAIN);
    let url = await kontor.url();
    let books: Books = await openBooks(url);
    let operator = books.operator;
    for (let made = 0; made < LETTERS; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) =>
          call(`${url}/api/customers`, { method: 'POST', token: books.token, body: { name: `C ${made + n}` } }),
        ),
      );
    await kontor.stop();
    const parked = await parkAll(directory);
    const restart = async () => {
      kontor = await KontorProcess.ready(directory, PLAIN);
      url = await kontor.url();
      await until(
        async () => (await fetch(`${url}/readyz`)).status,
        (status) => status === 200,
      );
      books = await signInAgain(url, books);
      operator = books.operator;
    };
    await restart();
    const repeats = () => messagesIn(directory).filter(({ id }) => id.includes('~'));
    const run = async (): Promise<Run> => {
      const logs = `${url}/api/platform/jobs/logs?pageNumber=1&pageSize=5&search=dead-letter-replay`;
      const { items } = await call<{ items: Run[] }>(logs, { token: operator });
      return items[0] as Run;
    };
    const change = async (what: string) => {
      const { id } = await run();
      await call(`${url}/api/platform/jobs/execution/${id}/${what}`, { method: 'POST', token: operator, body: {} });
    };
    const body = { filter: { code: 'REFUSED' }, dryRun: false, perSecond: PER_SECOND };
    await call(`${url}/api/platform/dead-letters/replay`, { method: 'POST', token: operator, body });
    const grown = (from: number) =>
      until(
        () => Promise.resolve(repeats().length),
        (count) => count > from,
      );

    await grown(parked / 8);
    await change('pause');
    await until(run, ({ status }) => status === 'PAUSED');
    await kontor.stop('SIGKILL');
    const whilePaused = repeats().length;
    await restart();
    expect(await run()).toMatchObject({ status: 'PAUSED' });
    await change('resume');
    await grown(whilePaused + parked / 8);
    await kontor.stop('SIGKILL');
    const killed = repeats().length;
    await restart();
    const done = await until(run, ({ status }) => status !== 'RUNNING');
    expect(done).toMatchObject({ status: 'SUCCEEDED', message: `${parked} of ${parked} replayed, 0 failed again.` });
    const counts = new Map<string, number>();
    for (const { payload } of repeats()) {
      const { id } = JSON.parse(payload) as { id: string };
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect([counts.size, Math.max(...counts.values())]).toEqual([parked, 1]);
    process.stdout.write(`killed while paused after ${whilePaused}, and while running after ${killed} of ${parked}\n`);
    await kontor.stop();
  });
}, 300_000);

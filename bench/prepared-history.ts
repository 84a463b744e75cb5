import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../src/adapters/system-time.js';
import { fillHistory } from './history-store.js';
import { createLedger } from './ledger-books.js';
import { folder, options } from './options.js';
import { rssAnonMiB } from './processes.js';
import { say } from './report.js';
import { BenchService, type Books } from './service-client.js';

export type Prepared = {
  readonly directory: string;
  readonly events: number;
  readonly books: Books;
  /** Duration of a rebuild of all read models, and the memory used by the service during and after this rebuild. */
  readonly filling: { readonly seconds: number; readonly mostMiB: number; readonly afterMiB: number };
};

/** Folder of a prepared history. The name identifies the build, because each build requires its own read models. */
export const folderOf = (what: string, size: number): string => join(folder, `${what}-${size}-${BUILD}`);

const MAIN = new URL('../dist/main.js', import.meta.url);
const BUILD = Math.round(statSync(MAIN).mtimeMs).toString(36);
const NOTE = 'bench-prepared.json';
/** Time allowed for garbage collection after the rebuild. */
const REST_MS = 10_000;

/**
 * Data directory of a service with this many events and complete read models. Prepared once for all figures of a run.
 * Figures that write to the directory use `copyOf` instead.
 */
export async function prepared(events: number): Promise<Prepared> {
  const directory = folderOf('history', events);
  const noted = join(directory, NOTE);
  if (existsSync(noted)) return JSON.parse(await readFile(noted, 'utf8')) as Prepared;
  await mkdir(directory, { recursive: true });
  const first = await BenchService.start({ directory });
  const books = await first.createTenant();
  const tenant = await createLedger(first.owner, books.tenantId);
  await first.stop();
  const rate = await fillHistory(directory, { events, seed: options.seed, tenant }, new SystemClock());
  say(`${events} events appended, ${rate}/s`);
  const filling = await fillModels(directory);
  say(`their read models filled in ${filling.seconds} s, RssAnon at most ${filling.mostMiB} MiB`);
  const made: Prepared = { directory, events, books, filling };
  await writeFile(noted, JSON.stringify(made));
  return made;
}

/**
 * Removes the read models. As after a restore, the service rebuilds all read models when it starts, and becomes ready
 * afterwards.
 */
async function fillModels(directory: string): Promise<Prepared['filling']> {
  for (const ending of ['', '-wal', '-shm']) await rm(join(directory, `models.sqlite${ending}`), { force: true });
  const startedMs = performance.now();
  let mostMiB = 0;
  let sampling: NodeJS.Timeout | undefined;
  const onListening = (pid: number | undefined) => {
    sampling = setInterval(() => {
      void rssAnonMiB(pid).then((now) => (mostMiB = Math.max(mostMiB, now)));
    }, 200);
  };
  const service = await BenchService.start({ directory, onListening });
  await service.settled();
  const seconds = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
  await sleep(REST_MS);
  clearInterval(sampling);
  const afterMiB = await rssAnonMiB(service.pid);
  await service.stop();
  return { seconds, mostMiB, afterMiB };
}

/** Creates a writable copy in the parent folder of the original, so that the file system can share blocks. */
export async function copyOf({ directory }: Prepared): Promise<string> {
  const copy = await mkdtemp(`${directory}-copy-`);
  await cp(directory, copy, { recursive: true });
  return copy;
}

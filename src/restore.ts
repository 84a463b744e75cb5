import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { SystemClock } from './adapters/system-time.js';
import { FORWARDER } from './aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import { ConfigError, readConfig, type Config } from './config.js';
import { storeSettings } from './open-engines.js';
import {
  restoreBackup,
  RestoreBrokeOff,
  StoreNotEmpty,
  UnknownStreams,
  verifyBackup,
} from './platform/backup-restore.js';
import { DamagedBackup } from './platform/backup-reader.js';
import { parseStreamName } from './platform/stream-name.js';
import { EventStoreInUse } from './ports/event-store.js';
import { projections } from './projections/projections.js';
import { openEvents, openModels } from './stores.js';
import { checkpointsIn } from './subscribers.js';

// npm run restore -- FILE [--verify-only] [--resume]: the composition root of a restore, in a process of its own.

const USAGE = `npm run restore -- FILE [--verify-only] [--resume]

Loads a backup into the empty event store that the settings name (EVENTSTORE_URL, else DATA_DIR), while no service runs
on it. The whole file is checked before anything is written.

  --verify-only  check the file and write nothing
  --resume       go on with a restore of the same file that was interrupted
`;

/** What a user can mend: told without a stack. */
class Refused extends Error {}

const REFUSALS = [ConfigError, DamagedBackup, EventStoreInUse, Refused, RestoreBrokeOff, StoreNotEmpty, UnknownStreams];
const PROGRESS_EVERY_MS = 2_000;

const clock = new SystemClock();
const logger = pino({ level: 'warn' }, pino.destination(2));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const isKnown = (stream: string): boolean => {
  const name = parseStreamName(stream);
  return name !== undefined && catalogue.aggregateOf(name.entity) !== undefined;
};

/** Says every two seconds how far it is. */
function progressOf(work: string): (progress: number, events: number) => void {
  let saidAtMs = clock.monotonicMs();
  return (progress, events) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - saidAtMs < PROGRESS_EVERY_MS) return;
    saidAtMs = nowMs;
    say(`  ${work}: ${progress} %, ${events} events`);
  };
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Refused(USAGE);
  const config = readConfig();
  const { manifest, trailer } = await verifyBackup(file, isKnown, progressOf('verified'));
  say(`${file} is whole: ${trailer.count} events, made at ${manifest.madeAt} by Kontor ${manifest.service}.`);
  if (values['verify-only'] === true) return;
  // Opened first: a service that runs on the same folder is met here.
  const { events } = await openEvents(storeSettings(config), { clock, logger });
  try {
    await assertNoModels(config);
    const startedMs = clock.monotonicMs();
    const streams = catalogue.streamPrefixes;
    const options = { streams, resume: values.resume === true, report: progressOf('restored') };
    const { written, found } = await restoreBackup(file, events, options);
    const seconds = (clock.monotonicMs() - startedMs) / 1_000;
    const before = found === 0 ? '' : ` ${found} were there from before.`;
    say(`${written} events restored in ${seconds.toFixed(1)} s.${before} The service may be started.`);
  } finally {
    await events.close();
  }
}

function parsed(args: readonly string[]) {
  try {
    const options = { 'verify-only': { type: 'boolean' }, resume: { type: 'boolean' } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new Refused(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/**
 * Read models and checkpoints tell positions of the history that they were made from. Those of another history would
 * hide events of the restored one, or show what it does not hold.
 */
async function assertNoModels(config: Config): Promise<void> {
  const { reads } = await openModels(storeSettings(config), 'readwrite', { clock, logger });
  try {
    const live = await Promise.all(projections.map(({ model }) => reads.liveGeneration(model.name, model.version)));
    const forwarded = await checkpointsIn(reads).load(FORWARDER);
    if (live.every((generation) => generation === undefined) && forwarded < 0) return;
  } finally {
    await reads.close();
  }
  const where =
    config.MONGODB_URL === undefined
      ? `${config.DATA_DIR}/models.sqlite holds read models of another history: remove it, with its -wal and -shm files`
      : 'The database of MONGODB_URL holds read models of another history: drop it, or name an empty one';
  throw new Refused(`${where}. They are built again when the service starts.`);
}

// The history is nobody else's to read.
process.umask(0o077);
try {
  await main(process.argv.slice(2));
} catch (error) {
  const isPlain =
    REFUSALS.some((refusal) => error instanceof refusal) || (error as { code?: unknown }).code === 'ENOENT';
  process.stderr.write(`${isPlain ? (error as Error).message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}

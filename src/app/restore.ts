import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { SystemClock } from '../adapters/system-time.js';
import { catalogue } from './catalogue.js';
import { ConfigError, takeConfig } from '../config.js';
import { BackupError } from '../backup/backup-format.js';
import { restoreBackup, verifyBackup } from '../backup/backup-restore.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import { EventStoreInUse } from '../ports/event-store.js';
import { openEvents, storeSettings } from './stores.js';

// npm run restore -- FILE [--verify-only] [--resume]: composition root of a restore, in its own process.

const USAGE = `npm run restore -- FILE [--verify-only] [--resume]

Restores a backup into the event store of the settings (EVENTSTORE_URL, otherwise DATA_DIR), which must be empty and not
be in use by a service. The whole file is checked before anything is written.

  --verify-only  only check the file; write nothing
  --resume       continue an interrupted restore of the same file
`;

/** Errors that users can fix. They are printed without a stack trace. */
const REFUSALS = [BackupError, ConfigError, EventStoreInUse];
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

/** Prints the progress every two seconds. */
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
  if (file === undefined || more.length > 0) throw new BackupError(USAGE);
  const config = takeConfig();
  const { manifest, trailer } = await verifyBackup(file, isKnown, progressOf('verified'));
  say(`${file} is complete: ${trailer.count} events, created at ${manifest.madeAt} by Kontor ${manifest.service}.`);
  if (values['verify-only'] === true) return;
  // Open the event store first, to detect a service that runs on the same directory.
  const { events } = await openEvents(storeSettings(config), { clock, logger });
  try {
    const startedMs = clock.monotonicMs();
    const streams = catalogue.streamPrefixes;
    const options = { streams, resume: values.resume === true, report: progressOf('restored') };
    const { written, found } = await restoreBackup(file, events, options);
    const seconds = (clock.monotonicMs() - startedMs) / 1_000;
    const before = found === 0 ? '' : ` ${found} of the backup's events already existed.`;
    say(
      `${written} events restored in ${seconds.toFixed(1)} s.${before} Start the service; it then ` +
        'builds its read models.',
    );
    if (config.RESTORE_FORWARD === 'wait')
      say('It publishes no integration events until you resume the forwarder (see docs/operations.md).');
  } finally {
    await events.close();
  }
}

function parsed(args: readonly string[]) {
  try {
    const options = { 'verify-only': { type: 'boolean' }, resume: { type: 'boolean' } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new BackupError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

// Files of the history must be readable only by their owner.
process.umask(0o077);
try {
  await main(process.argv.slice(2));
} catch (error) {
  const isPlain =
    REFUSALS.some((refusal) => error instanceof refusal) || (error as { code?: unknown }).code === 'ENOENT';
  process.stderr.write(`${isPlain ? (error as Error).message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}

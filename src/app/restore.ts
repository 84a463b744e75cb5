import { pino } from 'pino';
import { restoreBackup, verifyRestorable } from '../backup/backup-restore.js';
import { takeConfig } from '../config.js';
import { clock, decrypterOf, ids, isKnown, parsed, progressOf, runProgram, say } from './backup-command.js';
import { catalogue } from './catalogue.js';
import { openEvents, storeSettings } from './stores.js';

// npm run restore: composition root of a restore, which runs in its own process.

const USAGE = `npm run restore -- FILE [--verify-only] [--resume] [--identity FILE]

Restores a backup into the event store of the settings (EVENTSTORE_URL, otherwise DATA_DIR), which must be empty and not
in use by a service. The whole file is checked before anything is written.

  --verify-only    only check the file; write nothing
  --resume         continue an interrupted restore of the same file
  --identity FILE  age identity that decrypts the backup
`;

async function main(): Promise<void> {
  const { file, values } = parsed(
    { 'verify-only': { type: 'boolean' }, resume: { type: 'boolean' }, identity: { type: 'string' } },
    USAGE,
  );
  const config = takeConfig();
  const decrypter = await decrypterOf(values.identity);
  const { manifest, trailer } = await verifyRestorable(file, isKnown, progressOf('verified'), decrypter);
  say(`${file} is complete: ${trailer.count} events, created at ${manifest.madeAt} by Kontor ${manifest.service}.`);
  if (values['verify-only'] === true) return;
  const logger = pino({ level: 'warn' }, pino.destination(2));
  // Open the event store first, to detect a service that is running on the same directory.
  const { events, identity } = await openEvents(storeSettings(config), { clock, logger });
  try {
    const startedMs = clock.monotonicMs();
    const streams = catalogue.streamPrefixes;
    const report = progressOf('restored');
    const options = { streams, resume: values.resume === true, identity, ids, report, decrypter };
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

await runProgram(main);

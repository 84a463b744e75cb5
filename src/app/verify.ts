import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { BackupError, type BackupEvent } from '../backup/backup-format.js';
import { readBackup } from '../backup/backup-reader.js';
import { verifyBackup } from '../backup/backup-restore.js';
import { takeConfig, type Config } from '../config.js';
import { checkpointsIn } from '../integrity/checkpoint-files.js';
import { publishedRoot, recordedRoot } from '../integrity/checkpoint-reading.js';
import { TileStore } from '../integrity/tile-store.js';
import { TreeVerification, type KnownLeaves, type KnownRoot } from '../integrity/tree-verification.js';
import { HistoryReadStore } from '../projecting/history-read-store.js';
import { HistoryRegister } from '../projecting/history-register.js';
import type { ReadStore } from '../ports/read-store.js';
import { InvalidNote, keyFileVerifiers, readVerifiers, type NoteVerifier } from '../security/integrity-keys.js';
import { clock, decrypterOf, isKnown, parsed, progressOf, runProgram, say } from './backup-command.js';
import { openModels, storeSettings } from './stores.js';

// npm run verify: checks a backup against signed checkpoints in a separate process. It writes nothing.

const USAGE = `npm run verify -- FILE [--checkpoint FILE]… [--key FILE] [--identity FILE]

Compares every event of a backup with the checkpoints in it and with those in other files. Uses the key of DATA_DIR or
INTEGRITY_KEY and, if the read models of the settings can be read, their tree to locate a change exactly.

  --checkpoint FILE  a signed note, or a file of DATA_DIR/checkpoints; may be repeated
  --key FILE         verifier keys, one per line, instead of those in the settings
  --identity FILE    age identity that decrypts the backup
`;

async function main(): Promise<void> {
  const { file, values } = parsed(
    {
      checkpoint: { type: 'string', multiple: true },
      key: { type: 'string' },
      identity: { type: 'string' },
    },
    USAGE,
  );
  const config = takeConfig();
  const verifiers = await verifiersOf(config, values.key);
  if (!verifiers)
    say('Signatures are not verified, because no key is available. Specify the verifier key with --key FILE.');
  const roots: KnownRoot[] = [];
  for (const path of values.checkpoint ?? []) roots.push(...(await rootsInFile(path, verifiers)));
  const decrypter = await decrypterOf(values.identity);
  const { manifest, trailer } = await verifyBackup(file, isKnown, progressOf('read'), decrypter);
  // A checkpoint follows the events that it covers, so all checkpoints are collected before the events are verified.
  const note = (events: readonly BackupEvent[]): Promise<void> => {
    roots.push(...events.flatMap((event) => recordedRoot(event, verifiers) ?? []));
    return Promise.resolve();
  };
  await readBackup(file, { onEvents: note, decrypter });
  const { leaves, close } = await leavesOf(config, roots);
  try {
    const verification = new TreeVerification(roots, leaves);
    const onEvents = (events: readonly BackupEvent[]): Promise<void> => verification.add(events);
    await readBackup(file, { onEvents, report: progressOf('verified'), decrypter });
    const { covered, checkpoints, root } = await verification.end();
    say(`${file} is complete: ${trailer.count} events, created at ${manifest.madeAt} by Kontor ${manifest.service}.`);
    say(`${checkpoints} checkpoints match. The last covers ${covered} events. Root: ${root.toString('hex')}`);
  } finally {
    await close();
  }
}

/** Returns undefined if no key is known. @throws UnusableKey, BackupError */
async function verifiersOf(config: Config, file: string | undefined): Promise<readonly NoteVerifier[] | undefined> {
  if (file === undefined) return keyFileVerifiers(config.DATA_DIR, config.INTEGRITY_KEY);
  return readVerifiers(await readFile(file, 'utf8'), file);
}

/** Returns the checkpoints in a file, which contains either a note or lines of JSON. @throws BackupError */
async function rootsInFile(path: string, verifiers: readonly NoteVerifier[] | undefined): Promise<KnownRoot[]> {
  const text = await readFile(path, 'utf8');
  const found = checkpointsIn(text);
  try {
    const notes = found.length > 0 ? found : [{ note: text, timestamp: path }];
    return notes.map((one) => publishedRoot(one, verifiers));
  } catch (error) {
    if (error instanceof InvalidNote) throw new BackupError(`${path}: ${error.message}`);
    throw error;
  }
}

type Known = { readonly leaves: KnownLeaves | undefined; readonly close: () => Promise<void> };

/** Returns the tree in the configured read models, if a checkpoint confirms it. */
async function leavesOf(config: Config, roots: readonly KnownRoot[]): Promise<Known> {
  const none = { leaves: undefined, close: () => Promise.resolve() };
  const logger = pino({ level: 'silent' });
  let reads: ReadStore;
  try {
    ({ reads } = await openModels(storeSettings(config), 'readonly', { clock, logger }));
  } catch {
    return none;
  }
  const close = () => reads.close();
  try {
    for await (const space of spacesIn(reads)) {
      const tiles = new TileStore(new HistoryReadStore(reads, { space }));
      await tiles.prepare();
      if (await isConfirmed(tiles, roots).catch(() => false))
        return { leaves: (tile) => tiles.tile(0, tile).catch(() => []), close };
    }
  } catch {
    // Without the read models, a change to the history can still be located, but less precisely.
  }
  await close();
  return none;
}

/** Yields the spaces of all histories in a read store. */
async function* spacesIn(reads: ReadStore): AsyncIterable<string> {
  yield '';
  const register = new HistoryRegister(reads);
  await register.prepare();
  for (const { entry } of await register.others('')) yield entry.space;
}

async function isConfirmed(tiles: TileStore, roots: readonly KnownRoot[]): Promise<boolean> {
  const { size } = await tiles.reached();
  const largest = roots.filter((root) => root.size <= size).toSorted((a, b) => b.size - a.size)[0];
  return largest !== undefined && (await tiles.view().root(largest.size)).toString('hex') === largest.rootHash;
}

await runProgram(main);

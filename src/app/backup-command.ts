import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SystemClock, Uuid7Ids } from '../adapters/system-time.js';
import { BackupError } from '../backup/backup-format.js';
import { ConfigError } from '../config.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import { TamperedHistory } from '../integrity/tree-verification.js';
import { EventStoreInUse } from '../ports/event-store.js';
import { UnusableKey } from '../security/key-file.js';
import { catalogue } from './catalogue.js';

// Functions shared by the programs that read backups.

/** Errors that users can resolve. The program prints them without a stack trace. */
const REFUSALS = [BackupError, ConfigError, EventStoreInUse, TamperedHistory, UnusableKey];
const PROGRESS_EVERY_MS = 2_000;

export const clock = new SystemClock();
export const ids = new Uuid7Ids();
export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Whether this version supports the kind of record in a stream. */
export const isKnown = (stream: string): boolean => {
  const name = parseStreamName(stream);
  return name !== undefined && catalogue.aggregateOf(name.entity) !== undefined;
};

/** Prints progress every two seconds. */
export function progressOf(work: string): (progress: number, events: number) => void {
  let saidAtMs = clock.monotonicMs();
  return (progress, events) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - saidAtMs < PROGRESS_EVERY_MS) return;
    saidAtMs = nowMs;
    say(`  ${work}: ${progress}%, ${events} events`);
  };
}

/** Returns the file and the options from the command line. @throws BackupError with the usage */
export function parsed<const Options extends NonNullable<ParseArgsConfig['options']>>(options: Options, usage: string) {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [file, ...more] = positionals;
    if (file !== undefined && more.length === 0) return { file, values };
  } catch (error) {
    throw new BackupError(`${(error as Error).message}\n\n${usage}`);
  }
  throw new BackupError(usage);
}

/** Returns a decrypter for the identities in a file, or undefined if no file is given. @throws BackupError */
export async function decrypterOf(identityFile: string | undefined) {
  if (identityFile === undefined) return undefined;
  const { readIdentities } = await import('../backup/backup-encryption.js');
  return readIdentities(identityFile);
}

/** Runs the program and prints the reason if it fails. */
export async function runProgram(program: () => Promise<void>): Promise<void> {
  // Files that contain the history must be readable only by their owner.
  process.umask(0o077);
  try {
    await program();
  } catch (error) {
    const isPlain =
      REFUSALS.some((refusal) => error instanceof refusal) || (error as { code?: unknown }).code === 'ENOENT';
    process.stderr.write(`${isPlain ? (error as Error).message : String((error as Error).stack ?? error)}\n`);
    process.exitCode = 1;
  }
}

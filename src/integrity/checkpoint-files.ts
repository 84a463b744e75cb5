import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SignedCheckpoint } from '../aggregates/integrity.aggregate.js';

/** A checkpoint as displayed and published. */
export type PublishedCheckpoint = {
  readonly note: string;
  readonly size: number;
  readonly rootHash: string;
  readonly timestamp: string;
};
export const published = ({ note, size, rootHash, signedAt }: SignedCheckpoint): PublishedCheckpoint => ({
  ...{ note, size, rootHash, timestamp: signedAt },
});

const FILE = /^\d{4}-\d\d-\d\d\.ndjson$/;
const LINE_FEED = 10;
/** The end of a file that is read first. It contains several checkpoints. */
const TAIL_BYTES = 4 * 1024;

/** Append-only files with one checkpoint per line and one file per UTC day. */
export class CheckpointFiles {
  constructor(readonly directory: string) {}

  /** Appends checkpoints and flushes them to disk. */
  async add(checkpoints: readonly PublishedCheckpoint[]): Promise<void> {
    const dayOf = ({ timestamp }: PublishedCheckpoint): string => timestamp.slice(0, 10);
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const day of new Set(checkpoints.map(dayOf)))
      await this.append(
        `${day}.ndjson`,
        checkpoints.filter((one) => dayOf(one) === day),
      );
  }

  /**
   * Returns the newest checkpoint, which covers the most events; undefined if there is none. If the clock was wrong for
   * some time, any file may contain it. The end of every file is read, which takes about 0.3 s for ten years of files.
   */
  async last(): Promise<PublishedCheckpoint | undefined> {
    let last: PublishedCheckpoint | undefined;
    for (const name of await this.names()) {
      const found = await this.lastIn(name);
      if (found && found.size >= (last?.size ?? 0)) last = found;
    }
    return last;
  }

  /** Returns all checkpoints, oldest first. */
  async all(): Promise<PublishedCheckpoint[]> {
    const found: PublishedCheckpoint[] = [];
    for (const name of await this.names()) found.push(...(await this.read(name)));
    return found.toSorted((one, other) => one.size - other.size);
  }

  private async append(name: string, checkpoints: readonly PublishedCheckpoint[]): Promise<void> {
    const file = await open(join(this.directory, name), 'a+', 0o600);
    try {
      const { size } = await file.stat();
      // A crash may have truncated the last line.
      const isCut = size > 0 && (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== LINE_FEED;
      await file.appendFile((isCut ? '\n' : '') + checkpoints.map((one) => `${JSON.stringify(one)}\n`).join(''));
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  private async names(): Promise<string[]> {
    const names = await readdir(this.directory).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => FILE.test(name)).toSorted();
  }

  private async lastIn(name: string): Promise<PublishedCheckpoint | undefined> {
    const file = await open(join(this.directory, name));
    try {
      const { size } = await file.stat();
      for (let bytes = TAIL_BYTES; ; bytes *= 8) {
        const from = Math.max(0, size - bytes);
        const { buffer } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
        const found = checkpointsIn(buffer.toString()).at(-1);
        if (found || from === 0) return found;
      }
    } finally {
      await file.close();
    }
  }

  private async read(name: string): Promise<PublishedCheckpoint[]> {
    return checkpointsIn(await readFile(join(this.directory, name), 'utf8'));
  }
}

/** Returns the checkpoints found in a text, one per line. Ignores other lines. */
export const checkpointsIn = (text: string): PublishedCheckpoint[] =>
  text.split('\n').flatMap((line) => checkpointIn(line) ?? []);

function checkpointIn(line: string): PublishedCheckpoint | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { note, size, rootHash, timestamp } = JSON.parse(line) as Partial<PublishedCheckpoint>;
    const isWhole = [note, rootHash, timestamp].every((text) => typeof text === 'string') && Number.isSafeInteger(size);
    return isWhole ? ({ note, size, rootHash, timestamp } as PublishedCheckpoint) : undefined;
  } catch {
    return undefined;
  }
}

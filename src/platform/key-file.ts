import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A key, a file of keys or one of authorities that cannot be used until somebody mends it. Says where it comes from, never
 * what it is: that is a secret.
 */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}

/** The file's text; undefined where there is none. */
export async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a new file that only its owner may read, whole and flushed, unless there is one: that stays as it is. */
export async function makeKeyFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link never replaces the key of another process that was faster.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * An unusable key, key file or CA file, which an operator must repair. The message names the source, never the content.
 */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}

/** Returns the text of the file, or undefined if it does not exist. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Atomically creates a file that only its owner can read, and flushes the file to disk. Leaves an existing file
 * unchanged.
 */
async function makeKeyFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link never replaces a key that another process created first.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

/**
 * Returns the text of the key file at `path`. If the file does not exist, creates it with the result of `make`. All
 * processes that start at the same time get the same text.
 */
export async function keyTextAt(path: string, make: () => string | Promise<string>): Promise<string> {
  const known = await readIfExists(path);
  if (known !== undefined) return known;
  const made = await make();
  await makeKeyFile(path, made);
  return (await readIfExists(path)) ?? made;
}

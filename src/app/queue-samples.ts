import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SampleStore } from '../observability/queue-history.js';
import type { Cache } from '../ports/cache.js';

const KEY = 'queue-samples';
const DAY_MS = 24 * 60 * 60_000;

/** Keeps the samples in the cache that the replicas share. */
export const cachedSamples = (cache: Cache): SampleStore => ({
  load: () => cache.get(KEY),
  save: (text) => cache.set(KEY, text, DAY_MS),
});

/** Keeps the samples in a file. A crash leaves the previous samples. */
export function savedSamples(directory: string): SampleStore {
  const file = join(directory, 'queue-samples.json');
  const draft = `${file}.new`;
  return {
    load: async () => {
      try {
        return await readFile(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: async (text) => {
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, file);
    },
  };
}

import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEPT_FOR_MS, type SampleStore } from '../observability/queue-history.js';
import type { Cache } from '../ports/cache.js';
import { readIfExists } from '../security/key-file.js';

const KEY = 'queue-samples';

/** Keeps the samples in the cache that the replicas share. */
export const cachedSamples = (cache: Cache): SampleStore => ({
  load: () => cache.get(KEY),
  save: (text) => cache.set(KEY, text, KEPT_FOR_MS),
});

/** Keeps the samples in a file. A crash leaves the previous samples. */
export function savedSamples(directory: string): SampleStore {
  const file = join(directory, 'queue-samples.json');
  const draft = `${file}.new`;
  return {
    load: () => readIfExists(file),
    save: async (text) => {
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, file);
    },
  };
}

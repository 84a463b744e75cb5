import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryCache } from '../../src/adapters/embedded/cache.js';
import { cachedSamples, savedSamples } from '../../src/app/queue-samples.js';
import type { SampleStore } from '../../src/observability/queue-history.js';
import { ManualClock } from '../support/manual-clock.js';

describe('Samples of the queues', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-samples-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test.each<[string, () => () => SampleStore]>([
    ['a file', () => () => savedSamples(directory)],
    [
      'the shared cache',
      () => {
        const cache = new MemoryCache({ clock: new ManualClock() });
        return () => cachedSamples(cache);
      },
    ],
  ])('are found again in %s', async (_name, stores) => {
    const open = stores();
    expect(await open().load()).toBeUndefined();
    await open().save('first');
    await open().save('second');
    expect(await open().load()).toBe('second');
  });

  test('are in one file that only its owner can read', async () => {
    await savedSamples(directory).save('text');
    expect(await readdir(directory)).toEqual(['queue-samples.json']);
    expect((await stat(join(directory, 'queue-samples.json'))).mode & 0o777).toBe(0o600);
  });
});

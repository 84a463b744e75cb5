import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyUnwritable } from '../../src/app/data-directory.js';

test('An unwritable data directory is reported with its path; a writable one stays empty', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-data-'));
  try {
    expect(whyUnwritable(directory)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
    const file = join(directory, 'file');
    await writeFile(file, '');
    const below = join(file, 'data');
    expect(whyUnwritable(below)).toBe(
      `DATA_DIR ${below} is not writable: part of the path is not a directory (ENOTDIR).`,
    );
    expect(whyUnwritable(file)).toBe(`DATA_DIR ${file} is not writable: it is not a directory (EEXIST).`);
  } finally {
    await rm(directory, { recursive: true });
  }
});

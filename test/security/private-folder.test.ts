import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeToOthers } from '../../src/security/private-folder.js';

let directory: string;
const warnings: unknown[] = [];
const note = (facts: object): void => void warnings.push(facts);
const logger = { debug: note, info: note, warn: note, error: note, fatal: note, trace: note };
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

beforeEach(async () => {
  warnings.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'kontor-folder-'));
  await chmod(directory, 0o755);
});
afterEach(() => rm(directory, { recursive: true }));

test('The data folder is closed to other accounts if it contains only files of Kontor', async () => {
  for (const name of ['history.sqlite', 'models.sqlite-wal', 'integrity-key', 'signing-key.json', 'history.lock'])
    await writeFile(join(directory, name), '');
  await closeToOthers(directory, logger);
  expect([await modeOf(directory), warnings]).toEqual(['700', [{ directory, mode: '755' }]]);
});

test('A folder with files of other programs keeps its mode, and the warning names one of them', async () => {
  for (const name of ['history.sqlite', 'report.pdf']) await writeFile(join(directory, name), '');
  await closeToOthers(directory, logger);
  expect([await modeOf(directory), warnings]).toEqual(['755', [{ directory, mode: '755', other: 'report.pdf' }]]);
});

test('A file that is configured as the data folder keeps its mode', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '', { mode: 0o644 });
  await closeToOthers(file, logger);
  expect([await modeOf(file), warnings]).toEqual(['644', []]);
});

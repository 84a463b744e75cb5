import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const client = join(root, 'clients/typescript');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontor-client-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('The package is built when it is published, and contains the compiled client, its types and the license', () => {
  const copy = join(folder, 'client');
  // The repository's own build must not be packed.
  const isSource = (path: string): boolean => !/^\/(?:dist|node_modules)\b/.test(path.slice(client.length));
  cpSync(client, copy, { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { PATH = '', HOME = '' } = process.env;
  const run = { cwd: copy, env: { PATH, HOME, npm_config_ignore_scripts: 'false' }, encoding: 'utf8' } as const;
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], { ...run, stdio: 'pipe' });
  const [{ files }] = JSON.parse(packed) as [{ files: readonly { readonly path: string }[] }];
  const { exports, ...others } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<'.', Readonly<Record<string, string>>>>;
  };
  // npm does not publish private packages.
  expect(others).not.toHaveProperty('private');
  const entries = Object.values(exports['.']).map((path) => path.replace('./', ''));
  expect(entries).toEqual(['dist/kontor-client.d.ts', 'dist/kontor-client.js']);
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([...entries, 'LICENSE', 'README.md', 'package.json']),
  );
  const load = "const { KontorClient } = await import('./dist/kontor-client.js'); console.log(typeof KontorClient)";
  expect(execFileSync(process.execPath, ['--eval', load], run).trim()).toBe('function');
});

test('The package has the license of the repository', () => {
  expect(readFileSync(join(client, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
});

import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };
type Package = { readonly name?: string; readonly version: string; readonly integrity?: string };
type Lock = { readonly packages: Readonly<Record<string, Package>> };
type Component = {
  readonly 'bom-ref': string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
};
type Inventory = {
  readonly bomFormat: string;
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

/** Runs a script from the checkout. The registry is unreachable unless the test provides one. */
const script = (name: string, args: readonly string[], registry = 'http://127.0.0.1:9'): Promise<Ended> =>
  new Promise((resolve) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, npm_config_registry: registry, npm_config_fetch_retries: '0' };
    const options = { cwd: root, env, maxBuffer: 64 * 1_048_576 };
    execFile(process.execPath, [join(root, 'scripts', name), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-dependencies-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('The inventory of packages', () => {
  let printed: string;
  beforeAll(async () => {
    const { code, stdout, stderr } = await script('sbom.mjs', []);
    expect([code, stderr]).toEqual([0, '']);
    printed = stdout;
  });

  test('lists exactly the packages in the lock file, with their hashes', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
    const locked = Object.entries(packages).flatMap(([path, { name, version, integrity = '' }]) => {
      const [algorithm = '', hash = ''] = integrity.split('-');
      const hex = Buffer.from(hash, 'base64').toString('hex');
      return path === '' ? [] : [`${name ?? path.split('node_modules/').at(-1)}@${version} ${algorithm} ${hex}`];
    });
    const { bomFormat, components } = JSON.parse(printed) as Inventory;
    expect(bomFormat).toBe('CycloneDX');
    expect(locked.length).toBeGreaterThan(500);
    expect(
      components.map(({ 'bom-ref': ref, hashes: [hash] }) =>
        [ref, hash?.alg.replace('-', '').toLowerCase(), hash?.content].join(' '),
      ),
    ).toEqual([...new Set(locked)].toSorted());
  });

  test('names only packages that it lists as dependencies', () => {
    const { components, dependencies } = JSON.parse(printed) as Inventory;
    const known = new Set(components.map((one) => one['bom-ref']));
    const own = dependencies.filter(({ ref }) => !known.has(ref));
    expect(own.map(({ ref }) => ref)).toEqual([`kontor@${version}`]);
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([]);
  });

  test('is the same each time, and contains no folder, time or address of a registry', async () => {
    expect((await script('sbom.mjs', [])).stdout).toBe(printed);
    expect([root, tmpdir(), '"timestamp"', 'https://'].filter((text) => printed.includes(text))).toEqual([]);
  });

  test('of another lock file is rejected', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'sbom.json');
      await writeFile(file, printed);
      expect(await script('sbom.mjs', ['--check', file])).toEqual({ code: 0, stdout: '', stderr: '' });
      const { components, ...others } = JSON.parse(printed) as Inventory;
      await writeFile(file, `${JSON.stringify({ ...others, components: components.slice(1) }, null, 2)}\n`);
      const { code, stderr } = await script('sbom.mjs', ['--check', file]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('is not the inventory of package-lock.json')]);
    }));
});

/** An advisory in the form that registries report. */
const ADVISORY = {
  ...{ id: 7, url: 'https://advisories.test/7', title: 'An invented weakness', severity: 'high' },
  ...{ vulnerable_versions: '>=1.0.0 <1.2.0', cwe: ['CWE-20'], cvss: { score: 7.5, vectorString: null } },
};

describe('The check of advisories', () => {
  let registry: Server;
  let url: string;
  let advisories: object[];
  /** Contains only methods and paths, because the bodies are compressed. */
  let asked: string[];
  beforeAll(async () => {
    registry = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (request.method === 'POST') response.end(JSON.stringify(advisories.length > 0 ? { tea: advisories } : {}));
      else response.end(JSON.stringify({ name: 'tea', versions: { '1.1.0': {}, '1.2.0': {} } }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => registry.close(resolve)));
  beforeEach(() => {
    advisories = [];
    asked = [];
  });

  /** Writes a project that depends on one package. */
  async function lock(folder: string, version: string): Promise<void> {
    const own = { name: 'shop', version: '1.0.0', dependencies: { tea: version } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(own));
    const packages = { '': own, 'node_modules/tea': { version } };
    const content = { name: 'shop', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(content));
  }
  const known = (folder: string): string => join(folder, 'docs', 'advisories.json');
  const read = async (folder: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(known(folder), 'utf8')) as Record<string, unknown>;

  const withShop = (use: (folder: string) => Promise<void>): Promise<void> =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'docs'));
      await writeFile(known(folder), JSON.stringify({ checkedAt: null, packages: null, advisories: [], accepted: {} }));
      await lock(folder, '1.1.0');
      await use(folder);
    });

  test('does not pass before advisories were obtained, nor if the registry reports none', () =>
    withShop(async (folder) => {
      const { code, stderr } = await script('advisories.mjs', [folder]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('nothing was checked')]);
      const before = await read(folder);
      const refused = await script('advisories.mjs', [folder, '--refresh']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('did not answer npm audit')]);
      expect(await read(folder)).toEqual(before);
    }));

  test('passes without a network after a refresh, until the lock file changes', () =>
    withShop(async (folder) => {
      expect(await script('advisories.mjs', [folder, '--refresh'], url)).toMatchObject({ code: 0, stderr: '' });
      expect(asked).toContain('POST /-/npm/v1/security/advisories/bulk');
      const { code, stdout } = await script('advisories.mjs', [folder]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 package versions have no open advisory/)]);
      await lock(folder, '1.2.0');
      const changed = await script('advisories.mjs', [folder]);
      expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('The lock file has changed')]);
    }));

  test('fails while an affected version is installed, and again after a downgrade', () =>
    withShop(async (folder) => {
      advisories = [ADVISORY];
      const found = await script('advisories.mjs', [folder, '--refresh'], url);
      const told = 'high: tea 1.1.0: An invented weakness (https://advisories.test/7)\n';
      expect([found.code, found.stderr]).toEqual([1, told]);
      const { id, url: link, title, severity } = ADVISORY;
      expect(await read(folder)).toMatchObject({
        checkedAt: expect.stringMatching(/Z$/) as string,
        advisories: [{ id, package: 'tea', range: '>=1.0.0 <1.2.0', severity, title, url: link }],
      });
      await lock(folder, '1.2.0');
      advisories = [];
      expect((await script('advisories.mjs', [folder, '--refresh'], url)).code).toBe(0);
      await lock(folder, '1.1.0');
      expect(await script('advisories.mjs', [folder])).toEqual({ code: 1, stdout: '', stderr: told });
    }));

  test('drops a withdrawn advisory, and passes an advisory that was accepted with a reason', () =>
    withShop(async (folder) => {
      advisories = [ADVISORY];
      expect((await script('advisories.mjs', [folder, '--refresh'], url)).code).toBe(1);
      const reason = 'Kontor does not call the affected function.';
      await writeFile(known(folder), JSON.stringify({ ...(await read(folder)), accepted: { 7: reason } }));
      expect((await script('advisories.mjs', [folder])).code).toBe(0);
      advisories = [];
      expect((await script('advisories.mjs', [folder, '--refresh'], url)).code).toBe(0);
      expect(await read(folder)).toMatchObject({ advisories: [], accepted: { 7: reason } });
    }));

  test('knows no advisory that affects this checkout', async () => {
    const { stderr, code } = await script('advisories.mjs', []);
    expect([0, 2]).toContain(code);
    expect(stderr).not.toContain('Error');
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Query } from '@nestjs/cqrs';
import { allControllers, AppModule, openParts } from '../src/app/app.module.js';
import { catalogue } from '../src/app/catalogue.js';
import { readConfig } from '../src/config.js';
import { openEngines } from '../src/app/open-engines.js';
import type { Engines } from '../src/app/engines.js';
import { openApiPath } from '../src/http/openapi.js';
import { endpointsOf } from '../src/http/routes.js';
import type { AnyAggregate } from '../src/eventsourcing/event-catalogue.js';
import type { AnyProjection } from '../src/projecting/projection.js';
import { projections } from '../src/projections/projections.js';
import { createService, type Service } from '../src/app/service.js';

const root = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${folder}/${path}`);
const having = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.filter((path) => pattern.test(textOf(path)));

type Exports = Readonly<Record<string, unknown>>;
const exportsOf = async (...folders: string[]): Promise<unknown[]> => {
  const modules = await Promise.all(
    folders.flatMap(filesOf).map((path) => import(join(root, path)) as Promise<Exports>),
  );
  return modules.flatMap((exported) => Object.values(exported));
};
const isClass = (value: unknown): value is new () => object => typeof value === 'function' && 'prototype' in value;
const nameOf = ({ name }: { name: string }): string => name;

const sources = filesOf('src');
const consoleSources = filesOf('console/src');
const tests = filesOf('test').filter((path) => path !== 'test/architecture.test.ts');

const directory = mkdtempSync(join(tmpdir(), 'kontor-architecture-'));
const config = readConfig({ DATA_DIR: directory, SUBSCRIBERS: 'inline', SEED_DEMO: 'false' });
const silent = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
function quiet(): void {
  // Logs nothing, because a failing test reports its own errors.
}
let engines: Engines;
let service: Service;
beforeAll(async () => {
  engines = await openEngines(config, { logger: silent });
  service = await createService(config, engines);
});
afterAll(async () => {
  try {
    await service.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('every part is wired up', () => {
  /** Reads the metadata that @nestjs/cqrs attaches to handler classes. */
  const handled = async (key: string): Promise<string[]> => {
    const providers = AppModule.over(config, engines, await openParts(config, engines)).providers ?? [];
    return providers
      .filter(isClass)
      .map((provider) => Reflect.getMetadata(key, provider) as { name: string } | undefined)
      .flatMap((message) => (message ? [message.name] : []))
      .toSorted();
  };
  const messages = async (kind: typeof Command | typeof Query, ...folders: string[]): Promise<string[]> =>
    (await exportsOf(...folders))
      .filter(isClass)
      .filter(({ prototype }) => prototype instanceof kind)
      .map(nameOf)
      .toSorted();

  test('every command has one handler', async () => {
    expect(await handled('__commandHandler__')).toEqual(await messages(Command, 'src/commands', 'src/integration'));
  });

  test('every query has one handler', async () => {
    expect(await handled('__queryHandler__')).toEqual(await messages(Query, 'src/queries'));
  });

  test('every aggregate is in the catalogue, which rejects two events with one name', async () => {
    const isAggregate = (value: unknown): value is AnyAggregate =>
      typeof value === 'object' && value !== null && 'evolve' in value && 'events' in value;
    const aggregates = (await exportsOf('src/aggregates')).filter(isAggregate);
    expect(aggregates.length).toBeGreaterThan(10);
    for (const aggregate of aggregates) expect(catalogue.aggregateOf(aggregate.name)).toBe(aggregate);
  });

  test('every projection runs', async () => {
    const isProjection = (value: unknown): value is AnyProjection =>
      typeof value === 'object' && value !== null && 'evolve' in value && 'model' in value;
    const written = (await exportsOf('src/projections')).filter(isProjection).map(({ model }) => model.name);
    expect(projections.map(({ model }) => model.name).toSorted()).toEqual(written.toSorted());
  });

  const PUBLIC = ['/api/auth/login', '/api/auth/login/factor', '/api/auth/refresh', '/api/auth/oidc/bind'];
  test('every route of a controller is in the OpenAPI document as declared', () => {
    const document = JSON.parse(service.openApi()) as {
      paths: Record<string, Record<string, { security?: object[] }>>;
    };
    const endpoints = endpointsOf(allControllers);
    expect(endpoints.length).toBeGreaterThan(100);
    for (const { method, path, who } of endpoints) {
      const operation = document.paths[openApiPath(path)]?.[method.toLowerCase()];
      expect([path, operation !== undefined]).toEqual([path, true]);
      const isPublic = who === 'public';
      expect([path, operation?.security?.length === 0]).toEqual([path, isPublic]);
      if (path.startsWith('/api/')) expect([path, isPublic]).toEqual([path, PUBLIC.includes(path)]);
    }
  });
});

describe('the sources follow the rules', () => {
  test('settings are read in one place', () => {
    expect(having(sources, /process\.env/)).toEqual(['src/config.ts']);
  });

  test('only the composition of the service names adapters', () => {
    const composing = [
      'src/app/backup-command.ts',
      'src/app/job.worker.ts',
      'src/app/open-engines.ts',
      'src/app/stores.ts',
      'src/app/subscribers.worker.ts',
    ];
    const outside = sources.filter((path) => !path.startsWith('src/adapters/'));
    expect(having(outside, /(from |import\()'[^']*adapters\//).toSorted()).toEqual(composing);
  });

  test('no file is longer than 300 lines', () => {
    const all = [...sources, ...consoleSources];
    expect(all.filter((path) => textOf(path).split('\n').length > 301)).toEqual([]);
  });

  test('no name is meaningless', () => {
    expect(sources.filter((path) => /\b(utils?|helpers?|managers?|base|index)\b/.test(path))).toEqual([]);
  });

  test('the console imports nothing of the service, and stores no token', () => {
    expect(consoleSources.length).toBeGreaterThan(20);
    expect(having(consoleSources, /from '(?:\.\.\/)+(?:src|dist|test)\//)).toEqual([]);
    const storing = having(consoleSources, /[lL]ocalStorage|sessionStorage|document\.cookie|dangerouslySetInnerHTML/);
    // The console stores only the chosen language and the saved list views.
    expect(storing).toEqual(['console/src/messages/language.ts', 'console/src/parts/saved-views.ts']);
  });

  test('no comment postpones work, and no error of types is ignored', () => {
    expect(having([...sources, ...consoleSources, ...tests], /\b(TODO|FIXME)\b|@ts-ignore|@ts-nocheck/)).toEqual([]);
  });

  test('a linter rule is disabled with a reason, or not at all', () => {
    expect(having([...sources, ...consoleSources, ...tests], /eslint-disable(?!.* -- \w)/)).toEqual([]);
  });

  test('no test uses mocks, none is skipped, none runs exclusively', () => {
    const mocks = /\bjest\.(fn|mock|spyOn)\b/;
    const apart = /\b(test|it|describe)(\.\w+)*\.(skip|only|todo)\b|\b(fit|fdescribe|x(it|test|describe))\(/;
    expect(having(tests, mocks)).toEqual([]);
    expect(having(tests, apart)).toEqual(['test/support/on-linux.ts']);
  });
});

describe('the documents are up to date', () => {
  test("README's table of settings matches the schema", () => {
    execFileSync(process.execPath, ['scripts/settings-table.mjs', '--check'], { cwd: root });
  });

  test("docs/openapi.json, docs/asyncapi.json, docs/events and the client's types match the code", () => {
    execFileSync(process.execPath, ['scripts/contract-documents.mjs', '--check'], { cwd: root });
  });

  test('the lock file, the client, the changelog and the images have the version of the package', () => {
    const versionsIn = (path: string, pattern: RegExp): string[] =>
      [...textOf(path).matchAll(pattern)].map(([, found]) => `${path}: ${found ?? ''}`);
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    const images = ['docker-compose.yml', 'docs/deployment/kubernetes.yaml', 'docs/deployment/kubernetes-roles.yaml'];
    const found = [
      ...versionsIn('package-lock.json', /"name": "kontor",\s+"version": "(.+)"/g),
      ...versionsIn('clients/typescript/package.json', /"version": "(.+)"/g),
      ...versionsIn('CHANGELOG.md', /^## (\d\S+)/gm).slice(0, 1),
      ...images.flatMap((path) => versionsIn(path, /\bkontor:(\S+)|image: kontor$/gm)),
    ];
    expect(found).toHaveLength(10);
    expect(found.filter((one) => !one.endsWith(`: ${version}`))).toEqual([]);
  });

  test('every documented threat lists its tests, and every security test is listed', () => {
    const rows = textOf('docs/SECURITY.md').match(/^\| .*`test\/.*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(40);
    const named = new Set(rows.flatMap((row) => [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path)));
    expect([...named].filter((path) => !existsSync(join(root, path ?? '')))).toEqual([]);
    const all = tests.filter((path) => path.startsWith('test/security/') && path.endsWith('.test.ts'));
    expect(all.filter((path) => !named.has(path))).toEqual([]);
    const threats = textOf('docs/SECURITY.md').split('## How each threat is tested')[1] ?? '';
    expect(threats.match(/^\| (?!\*\*|threat|-)(?!.*`test\/).*$/gm)).toBeNull();
  });

  test('every named test of a threat exists', () => {
    const [, features = ''] = textOf('docs/SECURITY.md').split('## Threats of selected features');
    const cited = [...features.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)].map(([, path = '', name = '']) => [path, name]);
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter(([path = '', name = '']) => !textOf(path).includes(name))).toEqual([]);
  });

  test('decisions are numbered without gaps and have a background, a decision and consequences', () => {
    const names = readdirSync(join(root, 'docs/adr')).toSorted();
    expect(names.map((name) => name.slice(0, 4))).toEqual(names.map((_, index) => String(index + 1).padStart(4, '0')));
    for (const name of names)
      expect([name, textOf(`docs/adr/${name}`).match(/^## .*/gm)]).toEqual([
        name,
        ['## Background', '## Decision', '## Consequences'],
      ]);
  });

  test('the image copies only existing files', () => {
    const kept = [...textOf('Dockerfile').matchAll(/^COPY --from=build \/kontor\/(scripts\/\S+)/gm)];
    expect(kept.map(([, path = '']) => [path, existsSync(join(root, path))])).toEqual([
      ['scripts/rotate-signing-key.mjs', true],
    ]);
    const copied = [...textOf('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    const shown = textOf('.dockerignore').split('\n');
    expect(copied).toContain('src');
    expect(copied.filter((path) => !existsSync(join(root, path)) || !shown.includes(`!${path}`))).toEqual([]);
  });

  test('AGENTS.md stays short', () => {
    expect(textOf('AGENTS.md').split('\n').length).toBeLessThanOrEqual(121);
  });
});

// Everything that the documents refer to must exist: files, sections, decisions, operations, scripts, settings, metrics
// and alerts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { secretSettings, settings } from '../src/config.js';

const root = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string, ending = ''): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);

const documents = [
  ...['README.md', 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'clients/typescript/README.md'],
  ...filesIn('docs', '.md'),
];
const decisions = readdirSync(join(root, 'docs/adr'));
const source = filesIn('src', '.ts').map(textOf).join('\n');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
const { paths } = JSON.parse(textOf('docs/openapi.json')) as { paths: Readonly<Record<string, object>> };

type Reference = { readonly document: string; readonly groups: readonly string[] };
/** Returns a pattern's matches in the documents. Treats line breaks as spaces, because references may contain them. */
const references = (pattern: RegExp, among = documents): Reference[] =>
  among.flatMap((document) =>
    [...textOf(document).replace(/\n */g, ' ').matchAll(pattern)].map(([, ...groups]) => ({ document, groups })),
  );
/** Returns the broken references. Fails if the pattern finds fewer references than expected. */
function dead(found: readonly Reference[], atLeast: number, leads: (...groups: string[]) => boolean): string[] {
  expect(found.length).toBeGreaterThan(atLeast);
  return found
    .filter(({ groups }) => !leads(...groups))
    .map(({ document, groups }) => `${document}: ${groups.join(' ')}`);
}

const isFile = (path: string): boolean => existsSync(join(root, path));

test('Every file that a document names exists, and is named by its path from the root', () => {
  const full = /`((?:src|test|docs|scripts|bench|clients|console|\.ci)\/[\w./-]*)`/g;
  const ofRoot = references(
    full,
    documents.filter((path) => !path.startsWith('clients/')),
  );
  expect(dead(ofRoot, 500, isFile)).toEqual([]);
  const folders = readdirSync(join(root, 'src')).filter((name) => !name.includes('.'));
  const short = references(new RegExp(`\`((?:${folders.join('|')})/[\\w./-]+)\``, 'g'));
  expect(short.map(({ document, groups: [path] }) => `${document}: ${path ?? ''}`)).toEqual([]);
  const names = [...filesIn('src', '.ts'), ...filesIn('test', '.ts')].map((path) => path.split('/').at(-1));
  // Excludes names that occur in several folders, such as `handlers.ts`.
  const isOneFile = (name: string | undefined): boolean => names.filter((one) => one === name).length === 1;
  const alone = references(/`([\w.-]+\.ts)`/g).filter(({ groups: [name] }) => isOneFile(name));
  expect(alone.map(({ document, groups: [name] }) => `${document}: ${name ?? ''}`)).toEqual([]);
  const results = references(/`(\d{4}-\d\d-\d\d-[\w-]+\.json)`/g);
  expect(dead(results, 10, (name) => isFile(`bench/results/${name}`))).toEqual([]);
});

test('Every link leads to a file', () => {
  const links = references(/\]\((?!https?:)([^)#]+)/g).map(({ document, groups: [path = ''] }) => ({
    document,
    groups: [join(dirname(document), path)],
  }));
  expect(dead(links, 2, isFile)).toEqual([]);
});

test('Every section that a document names exists', () => {
  const sections = references(/`([\w/.-]+\.md)`(?:,| and)? "([^"]+)"/g);
  const isSection = (path: string, title: string): boolean =>
    textOf(path)
      .split('\n')
      .some((line) => /^(?:#+|- \*\*)/.test(line) && line.replace(/^(?:#+ |- \*\*)/, '').startsWith(title));
  expect(dead(sections, 10, isSection)).toEqual([]);
});

test('Every decision that a document or a comment cites exists', () => {
  const isDecision = (number: string): boolean => decisions.some((name) => name.startsWith(`${number}-`));
  const cited = references(/\bADR (\d{4})/g, [...documents, ...filesIn('src', '.ts'), ...filesIn('test', '.ts')]);
  expect(dead(cited, 30, isDecision)).toEqual([]);
});

test('Every operation that a document names is in the OpenAPI document', () => {
  const patterns = Object.entries(paths).map(
    ([path, methods]) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), Object.keys(methods)] as const,
  );
  const isOperation = (method: string, path: string): boolean =>
    patterns.some(
      ([pattern, methods]) => pattern.test(path.replace(/\$\w+/g, 'x')) && methods.includes(method.toLowerCase()),
    );
  const named = references(/`(GET|POST|PATCH|DELETE) (\/[\w/{}-]+)(?:\?[^`]*)?`/g);
  expect(dead(named, 50, isOperation)).toEqual([]);
  const called = references(/localhost:3000(\/[\w/${}-]+)/g);
  const isPath = (path: string): boolean =>
    patterns.some(([pattern]) => pattern.test(path.replace(/\$\w+/g, 'x'))) || path === '/api/$1';
  expect(dead(called, 20, isPath)).toEqual([]);
});

test('Every script that a document runs exists', () => {
  expect(dead(references(/npm run (?:--silent )?([\w:]+)/g), 50, (name) => name in scripts)).toEqual([]);
});

test('Every setting that a document names exists', () => {
  const others = new Set([
    // Settings for Compose, Node.js and a benchmark.
    ...['HTTP_ROLES', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'RANGE_ROUNDS'],
    // An error code of an earlier version, which a document still mentions.
    'INVALID_EVENT',
  ]);
  const isSecretFile = (name: string): boolean => secretSettings.some((secret) => name === `${secret}_FILE`);
  const isKnown = (name: string): boolean =>
    name in settings.shape || isSecretFile(name) || others.has(name) || new RegExp(`\\b${name}\\b`).test(source);
  expect(dead(references(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)(?:=[^`]*)?`/g), 300, isKnown)).toEqual([]);
});

test('README.md names every setting that can be read from a file', () => {
  const [, paragraph = ''] = /\nAppend `_FILE`([^]*?)\n\n/.exec(textOf('README.md')) ?? [];
  const named = [...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...secretSettings].sort());
});

test('Every metric and alert that a document names exists', () => {
  const isMetric = (name: string): boolean => source.includes(name.replace(/_(?:bucket|sum|count)$/, ''));
  expect(dead(references(/`(kontor_[a-z_]+)/g), 8, isMetric)).toEqual([]);
  const alerts = textOf('docs/monitoring/alerts.yml');
  const named = references(
    /\b(Kontor[A-Z]\w+)/g,
    documents.filter((path) => !path.startsWith('clients/')),
  );
  expect(dead(named, 20, (name) => alerts.includes(`alert: ${name}\n`))).toEqual([]);
});

test('README.md lists every document, and every folder of the source', () => {
  const [, map = ''] = textOf('README.md').split('\n## Map\n');
  const isDecision = (path: string): boolean => path.startsWith('docs/adr/');
  const expected = [
    ...filesIn('docs', '.md').filter((path) => !isDecision(path)),
    ...readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [`src/${one.name}/`] : [],
    ),
  ];
  expect(expected.filter((path) => !map.includes(`\`${path}\``))).toEqual([]);
});

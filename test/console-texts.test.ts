import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import * as aggregates from '../src/app/aggregates.js';
import { PERMISSIONS } from '../src/security/permissions.js';
import { namesInMessage, consoleSources, MESSAGES, textsOf } from './support/console-texts.js';

// Every text of the console is English in the source and has one translation per language, in one file.
const { used, bare } = textsOf(consoleSources());
const keys = new Set(used.map(({ text }) => text));
const isCoded = (key: string): boolean => /^[a-z]+:/.test(key);
const languages = readdirSync(MESSAGES).filter((name) => name.endsWith('.json'));
const catalogueOf = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(MESSAGES, name), 'utf8')) as Record<string, string>;

const codesIn = (catalogue: Readonly<Record<string, string>>, kind: string): string[] =>
  Object.keys(catalogue)
    .filter((key) => key.startsWith(`${kind}:`))
    .map((key) => key.slice(kind.length + 1))
    .sort();

/** Types of events that have an entry in the audit log. */
const AUDITED = Object.values(aggregates)
  .flatMap(({ events }) => Object.entries(events))
  .filter(([, { audit }]) => audit !== null)
  .map(([type]) => type)
  .sort();

/** Descriptions in the declarations of the jobs. */
function jobDescriptions(): string[] {
  const folder = join(import.meta.dirname, '..', 'src', 'jobs');
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return sources.flatMap((source) => source.match(/^ +description:\s+'/gm) ?? []);
}

test('No text reaches the user without passing through the catalogue', () => {
  expect(bare).toEqual([]);
});

test('Every text of the source receives exactly the values that it uses', () => {
  const wrong = used.filter(
    ({ text, values }) => namesInMessage(text).sort().join() !== [...new Set(values)].sort().join(),
  );
  expect(wrong).toEqual([]);
});

describe.each(languages)('The catalogue %s', (name) => {
  const catalogue = catalogueOf(name);

  test('translates every text of the source and nothing else', () => {
    expect([...keys].filter((key) => (catalogue[key] ?? '') === '')).toEqual([]);
    expect(Object.keys(catalogue).filter((key) => !keys.has(key) && !isCoded(key))).toEqual([]);
  });

  test('names the same values and elements as the English texts', () => {
    const differing = Object.entries(catalogue).filter(
      ([key, text]) => !isCoded(key) && namesInMessage(key).sort().join() !== namesInMessage(text).sort().join(),
    );
    expect(differing).toEqual([]);
  });

  test('contains only valid messages', () => {
    const locale = name.replace('.json', '');
    for (const text of Object.values(catalogue)) expect(() => new IntlMessageFormat(text, locale)).not.toThrow();
  });

  test('translates everything that the service identifies by a code: permissions, jobs and audited events', () => {
    expect(codesIn(catalogue, 'permission')).toEqual(PERMISSIONS.map(({ code }) => code).sort());
    expect(codesIn(catalogue, 'event')).toEqual(AUDITED);
    expect(codesIn(catalogue, 'job')).toHaveLength(jobDescriptions().length);
  });

  test('is sorted, so that changes by several people can be merged', () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).sort());
  });
});

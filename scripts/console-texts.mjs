// npm run console:texts: updates the console's message catalogues. Adds new strings with empty translations, removes
// unused strings, and sorts the rest. Leaves en.json unchanged, which contains only texts of the service.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleSources, textsOf } from '../test/support/console-texts.ts';

const folder = join(import.meta.dirname, '..', 'console', 'src', 'messages');
const used = new Set(textsOf(consoleSources()).used.map(({ text }) => text));
for (const name of readdirSync(folder).filter((each) => each.endsWith('.json') && each !== 'en.json')) {
  const path = join(folder, name);
  const catalogue = JSON.parse(readFileSync(path, 'utf8'));
  const coded = Object.keys(catalogue).filter((key) => /^[a-z]+:(?! )/.test(key));
  const keys = [...new Set([...used, ...coded])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  writeFileSync(
    path,
    `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, catalogue[key] ?? ''])), null, 2)}\n`,
  );
  console.log(`${name}: ${keys.filter((key) => (catalogue[key] ?? '') === '').length} texts without a translation`);
}

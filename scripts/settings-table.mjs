// npm run docs:settings: generates the settings table in the README from the schema in src/config.ts. With --check,
// exits with code 1 if the table is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../test/support/typescript.mjs';
import { root } from './checkout.mjs';

const { settings } = await import('../src/config.ts');

const FROM = '<!-- settings: written by `npm run docs:settings` from src/config.ts -->\n<!-- prettier-ignore -->';
const TO = '<!-- /settings -->';
const readme = join(root, 'README.md');

/** The default value, as written in the environment. Empty for an optional setting without a default value. */
function defaultOf(field) {
  const parsed = field.safeParse(undefined);
  if (!parsed.success) return 'required';
  return parsed.data === undefined ? '' : `\`${String(parsed.data)}\``;
}

const rows = Object.entries(settings.shape).map(([name, field]) => {
  if (field.description === undefined) throw new Error(`${name} has no description.`);
  return `| \`${name}\` | ${defaultOf(field)} | ${field.description.replaceAll('|', '\\|')} |`;
});
const table = [FROM, '| setting | default | meaning |', '|---|---|---|', ...rows, '', TO].join('\n');

const text = readFileSync(readme, 'utf8');
const [start, end] = [text.indexOf(FROM), text.indexOf(TO)];
if (start < 0 || end < start) throw new Error('README.md does not contain the markers of the settings table.');
const fresh = text.slice(0, start) + table + text.slice(end + TO.length);
if (!process.argv.includes('--check')) writeFileSync(readme, fresh);
else if (fresh !== text) {
  console.error("README.md's table of settings is out of date. Run npm run docs:settings.");
  process.exit(1);
}

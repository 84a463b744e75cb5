// npm run sbom: prints an inventory of all packages in package-lock.json, in CycloneDX format. The same lock file
// always produces the same inventory, so that two inventories can be compared. With --check <file>, exits with code 1
// unless the file matches the inventory of package-lock.json.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { root } from './checkout.mjs';
import { npm } from './npm.mjs';

const byText = (textOf) => (a, b) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)));
const sorted = (items, textOf) => items.toSorted(byText(textOf));

/**
 * Removes everything that differs between two runs: times, random ids, the folder, the version of npm, and the order.
 */
function reproducible({ metadata, components, dependencies, serialNumber: _, ...bom }) {
  const { timestamp: _time, tools: _tools, component, ...more } = metadata;
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const content = {
    metadata: { ...more, component: { ...component, type: 'application', name: 'kontor', version } },
    components: sorted(components, (one) => one['bom-ref']),
    dependencies: sorted(dependencies, ({ ref }) => ref).map(({ dependsOn = [], ...one }) => ({
      ...one,
      dependsOn: dependsOn.toSorted(),
    })),
  };
  return { ...bom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`, ...content };
}

/** A version 8 UUID (RFC 9562), derived from the text. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hex);
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

const { status, stdout, stderr } = npm(root, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only');
if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
const fresh = `${JSON.stringify(reproducible(JSON.parse(stdout)), null, 2)}\n`;

const [option, file] = process.argv.slice(2);
if (option !== '--check') process.stdout.write(fresh);
else if (readFileSync(file, 'utf8') !== fresh) {
  console.error(`${file} is not the inventory of package-lock.json. Run: npm run --silent sbom > ${file}`);
  process.exitCode = 1;
}

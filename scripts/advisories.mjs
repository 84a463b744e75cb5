// npm run advisories: compares the versions in package-lock.json with the known advisories in docs/advisories.json,
// without network access. With --refresh, first fetches the current advisories from the registry (npm audit). Exit
// codes: 0 if no version is affected, 1 if a version is affected, 2 if the advisories do not cover the lock file. The
// first positional argument is a folder to check instead of this checkout. Requires an installation (npm ci), which it
// does not change.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { root } from './checkout.mjs';
import { npm } from './npm.mjs';

const isRefresh = process.argv.includes('--refresh');
const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? root;
const file = join(folder, 'docs', 'advisories.json');

const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const installed = Object.entries(packages)
  .filter(([path]) => path.includes('node_modules/'))
  .map(([path, { name, version }]) => ({ name: name ?? path.split('node_modules/').at(-1), version }));
const versions = [...new Set(installed.map(({ name, version }) => `${name}@${version}`))].toSorted();
const digest = createHash('sha256').update(versions.join('\n')).digest('hex');

/** The versions in the lock file that an advisory affects. */
const affectedBy = (advisory) =>
  installed
    .filter(({ name }) => name === advisory.package)
    .filter(({ version }) => semver.satisfies(version, advisory.range, { includePrerelease: true }))
    .map(({ version }) => version);

/** The advisories that the registry reports for the lock file. @throws Error if the registry does not support audits */
function reported() {
  const { stdout, stderr } = npm(folder, 'audit', '--json', '--package-lock-only');
  const report = JSON.parse(stdout || '{}');
  if (!report.vulnerabilities) throw new Error(`The registry did not answer npm audit: ${report.message ?? stderr}`);
  const found = Object.values(report.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((cause) => typeof cause === 'object')
    .map(({ source: id, name, severity, title, url, range }) => ({ id, package: name, range, severity, title, url }));
  return [...new Map(found.map((advisory) => [advisory.id, advisory])).values()];
}

/**
 * Keeps earlier advisories about packages in the lock file, because a later change may install an affected version
 * again. An earlier advisory that affects an installed version but is no longer reported has been withdrawn.
 */
function refreshed(before) {
  const current = reported();
  const names = new Set(installed.map(({ name }) => name));
  const earlier = before.advisories.filter(
    (one) => names.has(one.package) && affectedBy(one).length === 0 && !current.some(({ id }) => id === one.id),
  );
  const advisories = [...earlier, ...current].toSorted((a, b) => a.id - b.id);
  return { ...before, checkedAt: new Date().toISOString(), packages: digest, advisories };
}

function told({ checkedAt, packages: covered, advisories, accepted }) {
  const affecting = advisories.map((advisory) => ({ ...advisory, versions: affectedBy(advisory) }));
  const open = affecting.filter(({ id, versions: some }) => some.length > 0 && accepted[id] === undefined);
  for (const { package: name, versions: some, severity, title, url } of open)
    console.error(`${severity}: ${name} ${some.join(', ')}: ${title} (${url})`);
  if (open.length > 0) return 1;
  const hint = 'Run: npm run advisories -- --refresh';
  if (checkedAt === null) console.error(`No advisories were ever obtained, so nothing was checked. ${hint}`);
  else if (covered !== digest) console.error(`The lock file has changed since the audit of ${checkedAt}. ${hint}`);
  else {
    console.log(`${versions.length} package versions have no open advisory (audit of ${checkedAt}).`);
    return 0;
  }
  return 2;
}

let known = JSON.parse(readFileSync(file, 'utf8'));
if (isRefresh) {
  try {
    known = refreshed(known);
    writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
  } catch (error) {
    console.error(`${error.message}\nThe known advisories were not changed.`);
  }
}
process.exitCode = told(known);

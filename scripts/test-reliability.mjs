// npm run test:reliability and npm run test:soak: run the rows of the fault matrix, and print a table of the results.
// RELIABILITY_SCALE=soak (or --soak, as in `npm run test:soak`) selects the long form, and writes docs/reliability.md
// if every row was run. RELIABILITY_SEED=<n> reproduces the random choices of an earlier run.
// RELIABILITY_ONLY=<row>[,<row>] selects rows, and RELIABILITY_RESULT=<file> writes the table as JSON. Rows whose
// programs are missing are reported as not run or, with REQUIRE_SERVERS=true, as failed. TEST_REPORT: see jest.mjs.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './checkout.mjs';
import { jestWith, prepare } from './jest.mjs';
import { hasMongoServer, onPath } from './programs.mjs';
import { rows } from './reliability-rows.mjs';
import { report } from './test-report.mjs';

if (process.argv.includes('--soak')) process.env.RELIABILITY_SCALE = 'soak';
const isSoak = process.env.RELIABILITY_SCALE === 'soak';
const seed = Number(process.env.RELIABILITY_SEED ?? Date.now() % 1_000_000);
const only = process.env.RELIABILITY_ONLY?.split(',');
/**
 * Number of concurrent rows. Rows spend most of their time waiting, so several rows can share the machine. The soak
 * test runs each row alone.
 */
const AT_ONCE = isSoak ? 1 : 2;

const isHere = (need) => (need === 'mongo-server' ? hasMongoServer() : onPath(need));

/** Runs a row's suites, prints their output, and returns the result. */
async function run({ row, fault, suites }, work) {
  const report = join(work, `${row}.json`);
  const notes = join(work, `${row}.notes`);
  const printed = openSync(join(work, `${row}.txt`), 'w+');
  const env = { ...process.env, TEST_REPORT: report, RELIABILITY_NOTES: notes, RELIABILITY_SEED: String(seed) };
  const beganAt = Date.now();
  const status = await jestWith({ env, stdio: ['ignore', printed, printed] }, '-w', '1', ...suites);
  const seconds = Math.round((Date.now() - beganAt) / 1_000);
  console.log(`== ${row}: ${fault} (seed ${seed})\n${readFileSync(join(work, `${row}.txt`), 'utf8')}`);
  closeSync(printed);
  const counts = countsOf(report, status);
  return { row, fault, seed, seconds, suites, ...counts, ...notesOf(notes, counts.passed) };
}

/**
 * The CI command that covers the row at the same scale, if any. The short form lists such a row in its table, but does
 * not run it again.
 */
function shownBy({ suites }) {
  if (isSoak || only || suites.some((suite) => suite.startsWith('test/reliability/'))) return undefined;
  return suites.some((suite) => suite.startsWith('test/real/')) ? 'npm run test:real' : 'npm test';
}

/** Runs a row if possible and necessary, and returns its result. */
async function resultOf(row, work) {
  const notRun = { ...row, seed, cycles: '0', seconds: 0, figures: '', passed: 0, failed: 0 };
  const elsewhere = shownBy(row);
  if (elsewhere) return { ...notRun, result: `by ${elsewhere}` };
  const missing = (row.needs ?? []).filter((need) => !isHere(need));
  if (missing.length === 0) return run(row, work);
  const failed = process.env.REQUIRE_SERVERS === 'true' ? 1 : 0;
  return { ...notRun, failed, result: `not run: no ${missing.join(', ')}` };
}

/**
 * Runs several rows at once, except rows with measurements, which run one by one. Returns the results in the order of
 * the rows.
 */
async function resultsOf(chosen, work) {
  const results = new Map();
  const take = async (queue) => {
    for (let row = queue.shift(); row; row = queue.shift()) results.set(row, await resultOf(row, work));
  };
  const together = chosen.filter(({ measures }) => !measures);
  await Promise.all(Array.from({ length: AT_ONCE }, () => take(together)));
  await take(chosen.filter(({ measures }) => measures));
  return chosen.map((row) => results.get(row));
}

/** Counts and result of a Jest report. A skipped test counts as failed. */
function countsOf(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: 1, result: 'no report' };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  let failed = numFailedTests + numRuntimeErrorTestSuites + numPendingTests;
  if (failed === 0 && (status !== 0 || numPassedTests === 0)) failed = 1;
  return { passed: numPassedTests, failed, result: failed === 0 ? 'passed' : 'FAILED' };
}

/** Cycles and figures that the tests have recorded. If there are none, every passed test counts as a cycle. */
function notesOf(path, passed) {
  if (!existsSync(path)) return { cycles: `${passed} tests`, figures: '' };
  const told = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const cycles = told.reduce((sum, note) => sum + note.cycles, 0);
  return {
    cycles: String(cycles),
    figures: told
      .map(({ figures }) => figures)
      .filter(Boolean)
      .join('; '),
  };
}

const cell = (text) => String(text).replaceAll('|', '\\|');
function table(results) {
  const lines = results.map(({ fault, cycles, seed: used, seconds, result, figures, suites }) => {
    const shownBy = suites.map((path) => `\`${path}\``).join(', ');
    return `| ${[fault, cycles, used, seconds, result, figures, shownBy].map(cell).join(' | ')} |`;
  });
  const head =
    '| fault | cycles | seed | seconds | result | figures | suites |\n| --- | --- | --- | --- | --- | --- | --- |';
  return `${head}\n${lines.join('\n')}\n`;
}

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Writes the report only after a complete run, because the report must list all rows, with the commit. */
function writeReport(results) {
  const commit = git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`;
  const text = [
    '# Reliability',
    '',
    'Results of the fault matrix in its long form, written by `npm run test:soak`.',
    '',
    `Commit ${commit}; ${new Date().toISOString()}; ${machine}; seed ${seed}.`,
    '',
    table(results),
  ].join('\n');
  const path = join(root, 'docs', 'reliability.md');
  writeFileSync(path, text);
  execFileSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--write', path], { cwd: root });
}

await prepare();
const work = mkdtempSync(join(tmpdir(), 'kontor-reliability-'));
const chosen = rows.filter(({ row }) => !only || only.includes(row));
const unknown = (only ?? []).filter((name) => !rows.some(({ row }) => row === name));
if (unknown.length > 0)
  throw new Error(`Unknown rows: ${unknown.join(', ')}. Known rows: ${rows.map(({ row }) => row).join(', ')}`);
let results;
try {
  results = await resultsOf(chosen, work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`\n${table(results)}`);
const passed = results.reduce((sum, row) => sum + row.passed, 0);
const failures = results.flatMap(({ fault, failed }) => Array.from({ length: failed }, () => fault));
if (process.env.RELIABILITY_RESULT) writeFileSync(process.env.RELIABILITY_RESULT, JSON.stringify(results, null, 2));
const isWhole = chosen.length === rows.length && results.every(({ result }) => !result.startsWith('not run'));
if (isSoak && isWhole) writeReport(results);
report(import.meta.filename, { passed, failures });

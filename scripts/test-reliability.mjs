// npm run test:reliability and npm run test:soak: the fault matrix, row by row, each with a seed, and at the end a table of
// fault, cycles, seed, seconds and result. RELIABILITY_SCALE=soak (or --soak, as `npm run test:soak` has it) takes the long form
// and writes docs/reliability.md when every row was run; RELIABILITY_SEED=<n> gives the same choices again;
// RELIABILITY_ONLY=<row>[,<row>] takes some rows; RELIABILITY_RESULT=<file> leaves the table there as JSON. Rows that need
// programs which are not here are told; with REQUIRE_SERVERS=true that is a failure. TEST_REPORT as in jest.mjs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './checkout.mjs';
import { jest, prepare } from './jest.mjs';
import { hasMongoServer, onPath } from './programs.mjs';
import { rows } from './reliability-rows.mjs';

if (process.argv.includes('--soak')) process.env.RELIABILITY_SCALE = 'soak';
const isSoak = process.env.RELIABILITY_SCALE === 'soak';
const seed = Number(process.env.RELIABILITY_SEED ?? Date.now() % 1_000_000);
const only = process.env.RELIABILITY_ONLY?.split(',');

const isHere = (need) => (need === 'mongo-server' ? hasMongoServer() : onPath(need));

/** Runs a row's suites and tells what became of them. */
async function run({ row, fault, suites }, work) {
  const report = join(work, `${row}.json`);
  const notes = join(work, `${row}.notes`);
  Object.assign(process.env, { TEST_REPORT: report, RELIABILITY_NOTES: notes, RELIABILITY_SEED: String(seed) });
  console.log(`== ${row}: ${fault} (seed ${seed})`);
  const beganAt = Date.now();
  const status = await jest('-w', '1', ...suites);
  const seconds = Math.round((Date.now() - beganAt) / 1_000);
  const counts = countsOf(report, status);
  return { row, fault, seed, seconds, suites, ...counts, ...notesOf(notes, counts.passed) };
}

/** A skipped test has not held. */
function countsOf(report, status) {
  if (!existsSync(report)) return { passed: 0, failed: 1, result: 'no report' };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  let failed = numFailedTests + numRuntimeErrorTestSuites + numPendingTests;
  if (failed === 0 && (status !== 0 || numPassedTests === 0)) failed = 1;
  return { passed: numPassedTests, failed, result: failed === 0 ? 'held' : 'FAILED' };
}

/** What the tests themselves said; else every test is a cycle. */
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

/** Only of a whole run: a report says what was run, on which commit, and nothing else. */
function writeReport(results) {
  const commit = git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`;
  const text = [
    '# Reliability',
    '',
    'The fault matrix in its long form, as `npm run test:soak` wrote it.',
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
const total = process.env.TEST_REPORT;
const work = mkdtempSync(join(tmpdir(), 'kontor-reliability-'));
const chosen = rows.filter(({ row }) => !only || only.includes(row));
const unknown = (only ?? []).filter((name) => !rows.some(({ row }) => row === name));
if (unknown.length > 0)
  throw new Error(`No such row: ${unknown.join(', ')}. There are: ${rows.map(({ row }) => row).join(', ')}`);
const results = [];
try {
  for (const row of chosen) {
    const missing = (row.needs ?? []).filter((need) => !isHere(need));
    const notRun = { ...row, seed, cycles: '0', seconds: 0, figures: '', passed: 0, failed: 0 };
    if (row.soakOnly && !isSoak && !only) results.push({ ...notRun, result: 'by npm run test:real' });
    else if (missing.length === 0) results.push(await run(row, work));
    else {
      const failed = process.env.REQUIRE_SERVERS === 'true' ? 1 : 0;
      results.push({ ...notRun, failed, result: `not run: no ${missing.join(', ')}` });
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`\n${table(results)}`);
const passed = results.reduce((sum, row) => sum + row.passed, 0);
const failed = results.reduce((sum, row) => sum + row.failed, 0);
if (process.env.RELIABILITY_RESULT) writeFileSync(process.env.RELIABILITY_RESULT, JSON.stringify(results, null, 2));
if (total) {
  const [numPassedTests, numFailedTests] = [passed, failed];
  const none = { numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
  writeFileSync(total, JSON.stringify({ numPassedTests, numFailedTests, ...none }));
}
const isWhole = chosen.length === rows.length && results.every(({ result }) => !result.startsWith('not run'));
if (isSoak && isWhole) writeReport(results);
process.exitCode = failed === 0 ? 0 : 1;

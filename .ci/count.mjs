// node count.mjs <jest report> <jest exit code>: prints "<passed> <failed>" and, on the following lines, the failures.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [path, status] = process.argv.slice(2);
let passed = 0;
let failed = 0;
const failures = [];

/** The first lines of a failure message that contain text, without colors. */
const beginning = (message = '') =>
  stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 6)
    .join(' | ')
    .slice(0, 400);

try {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  passed = report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped;
  if (skipped > 0) failures.push(`${skipped} tests were skipped`);
  for (const suite of report.testResults ?? []) {
    const name = relative(process.cwd(), suite.name);
    const tests = suite.assertionResults.filter((test) => test.status === 'failed');
    failures.push(...tests.map((test) => `${name}: ${test.fullName}: ${beginning(test.failureMessages[0])}`));
    if (suite.status === 'failed' && tests.length === 0) failures.push(`${name}: ${beginning(suite.message)}`);
  }
} catch (error) {
  failures.push(`no report: ${error.message}`);
}
// Jest's exit code decides: a run that it reports as failed is counted as failed, and so is a run without any test.
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;
if (failed > 0 && failures.length === 0) failures.push(`${failed} failed, exit code ${status}`);
console.log([`${passed} ${failed}`, ...failures].join('\n'));

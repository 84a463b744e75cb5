// node count.mjs <jest's report> <jest's exit code>: prints "<passed> <failed>".
import { readFileSync } from 'node:fs';

const [path, status] = process.argv.slice(2);
let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  passed = report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped;
  if (skipped > 0) console.error(`FAILED: ${skipped} tests were skipped`);
} catch (error) {
  console.error(`FAILED: no report: ${error.message}`);
}
// Jest's own word counts: a run that it calls failed is, and one without a single test tells nothing.
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;
console.log(`${passed} ${failed}`);

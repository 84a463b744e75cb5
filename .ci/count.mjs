// node count.mjs <jest report> <jest exit code>: prints "<passed> <failed>".
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
// Jest's exit code decides: a run that it reports as failed is counted as failed, and so is a run without any test.
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;
console.log(`${passed} ${failed}`);

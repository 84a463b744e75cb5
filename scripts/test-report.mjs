// Reports the counts of a suite that jest does not run. Uses only Node's own modules.
import { writeFileSync } from 'node:fs';

/** Writes the counts as jest's JSON report to TEST_REPORT, if that is set, and sets the exit code. */
export function report({ passed: numPassedTests, failed: numFailedTests }) {
  const none = { numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
  if (process.env.TEST_REPORT)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ numPassedTests, numFailedTests, ...none }));
  process.exitCode = numFailedTests === 0 ? 0 : 1;
}

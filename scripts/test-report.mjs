// Reports the counts of a suite that Jest does not run. Uses only Node's own modules.
import { writeFileSync } from 'node:fs';

/** If TEST_REPORT is set, writes the counts to that file, in the format of Jest's JSON report. Sets the exit code. */
export function report({ passed: numPassedTests, failed: numFailedTests }) {
  const none = { numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
  if (process.env.TEST_REPORT)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ numPassedTests, numFailedTests, ...none }));
  process.exitCode = numFailedTests === 0 ? 0 : 1;
}

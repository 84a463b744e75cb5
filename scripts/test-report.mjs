// Reports the outcome of a suite that Jest does not run. Uses only Node's own modules.
import { writeFileSync } from 'node:fs';

/**
 * If TEST_REPORT is set, writes the counts and the names of the failed checks to that file, in the format of Jest's
 * JSON report. Sets the exit code.
 */
export function report(suite, { passed: numPassedTests, failures }) {
  const counts = { numPassedTests, numFailedTests: failures.length };
  const none = { numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
  const assertionResults = failures.map((fullName) => ({ status: 'failed', fullName, failureMessages: [] }));
  const testResults = [{ name: suite, status: failures.length === 0 ? 'passed' : 'failed', assertionResults }];
  if (process.env.TEST_REPORT)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ ...counts, ...none, testResults }));
  process.exitCode = failures.length === 0 ? 0 : 1;
}

// Runs Jest for the other scripts. TEST_REPORT=<file> writes Jest's result to the file, as JSON.
import { buildIfStale, install, run } from './checkout.mjs';

/** Installs dependencies, and builds the service and its modules. Tests start these modules as processes. */
export async function prepare() {
  await install();
  await buildIfStale({ withModules: true });
}

/** Returns Jest's exit code. `options` apply to the child process. */
export function jestWith(options, ...args) {
  const report = options.env?.TEST_REPORT ?? process.env.TEST_REPORT;
  return run(
    process.execPath,
    [
      '--no-warnings=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      ...(report ? ['--json', `--outputFile=${report}`] : []),
      ...args,
    ],
    options,
  );
}

export const jest = (...args) => jestWith({}, ...args);

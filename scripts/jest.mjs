// Runs Jest for the other scripts. TEST_REPORT=<file> writes Jest's result to the file, as JSON.
import { buildIfStale, install, run } from './checkout.mjs';

/** Installs dependencies and builds the service and its modules. Tests start these modules as processes. */
export async function prepare() {
  await install();
  await buildIfStale({ withModules: true });
}

/**
 * These options make V8 optimize functions later than usual, because most code in a suite runs only a few times. They
 * also make V8 collect young objects less often (ADR 0087). Later versions of V8 do not have the first option. Workers
 * inherit both.
 */
const ENGINE = [
  ...(process.versions.v8.startsWith('11.') ? ['--interrupt-budget=400000'] : []),
  ...['--min-semi-space-size=16', '--max-semi-space-size=32'],
];

/** Returns Jest's exit code. `options` apply to the child process. */
export function jestWith(options, ...args) {
  const report = options.env?.TEST_REPORT ?? process.env.TEST_REPORT;
  return run(
    process.execPath,
    [
      '--no-warnings=ExperimentalWarning',
      ...ENGINE,
      'node_modules/jest/bin/jest.js',
      ...(report ? ['--json', `--outputFile=${report}`] : []),
      ...args,
    ],
    options,
  );
}

export const jest = (...args) => jestWith({}, ...args);

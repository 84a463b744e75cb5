// How the scripts run jest. TEST_REPORT=<file> leaves its result there as JSON.
import { buildIfStale, install, node } from './checkout.mjs';

/** Dependencies, and the built service with its modules, which tests start as processes. */
export async function prepare() {
  await install();
  await buildIfStale({ withModules: true });
}

/** Answers jest's exit code. */
export function jest(...args) {
  const report = process.env.TEST_REPORT;
  return node(
    '--experimental-vm-modules',
    '--no-warnings=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...(report ? ['--json', `--outputFile=${report}`] : []),
    ...args,
  );
}

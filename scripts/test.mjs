// npm test: installs and builds what is missing or stale, then runs every suite; arguments go to jest.
// TEST_REPORT=<file> leaves jest's result there as JSON. KILLS and SALES give the scale of test/e2e (.ci/run: 20, 10000).
import { buildIfStale, install, node } from './checkout.mjs';

await install();
await buildIfStale();
process.env.KILLS ??= '3';
process.env.SALES ??= '1000';
const report = process.env.TEST_REPORT;
process.exitCode = await node(
  '--experimental-vm-modules',
  '--no-warnings=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  ...(report ? ['--json', `--outputFile=${report}`] : []),
  ...process.argv.slice(2),
);

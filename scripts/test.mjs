// npm test: installs and builds what is missing or stale, then runs every suite that needs no server; arguments go to
// jest. TEST_REPORT=<file> leaves jest's result there as JSON. KILLS and SALES give the scale of test/e2e (.ci/run: 20,
// 10000).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checkout.mjs';
import { jest, prepare } from './jest.mjs';

const NEED_SERVERS = 'test/real';

await prepare();
process.env.KILLS ??= '3';
process.env.SALES ??= '1000';
const chosen = process.argv.slice(2);
if (chosen.length > 0) process.exitCode = await jest(...chosen);
else {
  // Jest never lets go of what a suite of ES modules has loaded: a worker is made anew before that fills the memory.
  const oneByOne = ['--maxWorkers=1', '--workerIdleMemoryLimit=1GB'];
  process.exitCode = await jest(...oneByOne, '--testPathIgnorePatterns', '/node_modules/', `/${NEED_SERVERS}/`);
  const left = readdirSync(join(root, NEED_SERVERS)).filter((name) => name.endsWith('.test.ts'));
  for (const name of left) console.error(`${NEED_SERVERS}/${name} needs servers: npm run test:real`);
}

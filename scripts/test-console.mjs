// npm run test:console: runs the suites of test/console/, which use the compiled service's console in Chromium
// (/usr/bin/chromium, or CHROMIUM_PATH). Arguments are passed to Jest.
import { existsSync } from 'node:fs';
import { jest, prepare } from './jest.mjs';

const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

await prepare();
if (existsSync(chromium)) process.exitCode = await jest('--maxWorkers=3', 'test/console', ...process.argv.slice(2));
else {
  console.error(`${chromium} does not exist. Install Chromium (.ci/install-servers.sh), or set CHROMIUM_PATH.`);
  process.exitCode = 1;
}

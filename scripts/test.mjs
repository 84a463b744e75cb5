// npm test: installs and builds if necessary, and then runs every suite that requires neither servers nor a browser.
// Arguments are passed to Jest. TEST_REPORT=<file> writes Jest's result to the file, as JSON. SALES sets the scale of
// test/e2e (.ci/run: 10000).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checkout.mjs';
import { jest, prepare } from './jest.mjs';

/** Folders with suites that other commands run, with the reason for each. */
const APART = {
  'test/real': 'needs servers: npm run test:real',
  'test/console': 'needs Chromium: npm run test:console',
  'test/reliability': 'is a row of the fault matrix: npm run test:reliability',
};

await prepare();
process.env.SALES ??= '1000';
const chosen = process.argv.slice(2);
if (chosen.length > 0) process.exitCode = await jest(...chosen);
else {
  const left = Object.keys(APART).map((folder) => `/${folder}/`);
  process.exitCode = await jest('--testPathIgnorePatterns', '/node_modules/', ...left);
  for (const [folder, why] of Object.entries(APART))
    for (const name of readdirSync(join(root, folder)).filter((each) => each.endsWith('.test.ts')))
      console.error(`${folder}/${name} ${why}`);
}

// npm run test:webhooks: the compiled service delivers webhooks to a receiver in Python, which verifies every delivery
// with the PyPI library `standardwebhooks`. One endpoint accepts everything, one rejects some messages once, and one is
// slow. The secret is rotated during the run. Prints a table at the end. SALES=<n> sets the number of pushed sales
// (default: 200). WEBHOOK_PYTHON=<folder> uses an existing virtual environment. Without access to PyPI, nothing is
// tested or, with REQUIRE_SERVERS=true, the run fails. TEST_REPORT: see jest.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './checkout.mjs';
import { tableOf } from './fuzz-table.mjs';
import { prepare } from './jest.mjs';
import { binOf, pythonWith } from './python.mjs';
import { report } from './test-report.mjs';

const VERSION = '1.1.0';
const SALES = Number(process.env.SALES ?? 200);
/** Two messages per sale: one about its acceptance, and one about its booking. */
const MESSAGES = 2 * SALES;
const PATHS = ['/steady', '/flaky', '/slow'];
const PATIENCE_MS = 120_000;

/** Starts the receiver, which `stop` ends. */
async function startReceiver(bin) {
  const script = join(root, 'test', 'webhooks', 'receiver.py');
  const child = spawn(join(bin, 'python'), [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [printed] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${Number(printed.toString())}`;
  return {
    url,
    report: async (path) => (await fetch(url + path)).json(),
    setSecret: (path, body) => fetch(url + path, { method: 'PUT', body }),
    stop: () => child.stdin.end(),
  };
}

/** Resolves with the report for a path once this number of messages has arrived, or when the time limit is reached. */
async function arrived(receiver, path, messages) {
  let report = await receiver.report(path);
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; report = await receiver.report(path)) {
    if (new Set(report.accepted.map(({ id }) => id)).size >= messages) break;
    await delay(100);
  }
  return report;
}

/** Pushes sales and rotates the secret of the steady receiver halfway. */
async function deliver(service, receiver) {
  const shop = await service.openShop();
  const token = shop.ownerToken;
  const hooks = new Map();
  for (const path of PATHS) {
    const body = { url: receiver.url + path, types: ['kontor.sale.*'] };
    const { data } = await service.call('/api/webhooks', { token, body });
    hooks.set(path, data.id);
    await receiver.setSecret(path, data.secret);
  }
  const sellTo = async (first, last) => {
    for (let number = first; number < last; number += 1) await service.sell(shop, `sale-${number}`);
  };
  await sellTo(0, SALES / 2);
  // Waits, because messages signed before the rotation have only one signature, which was created with the old secret.
  await arrived(receiver, '/steady', MESSAGES / 2);
  const rotated = await service.call(`/api/webhooks/${hooks.get('/steady')}/rotate-secret`, { token, method: 'POST' });
  await sellTo(SALES / 2, (SALES * 3) / 4);
  // From here on, the receiver accepts only the new secret.
  await receiver.setSecret('/steady', rotated.data.secret);
  await sellTo((SALES * 3) / 4, SALES);
}

/** Returns all checks for a path, with their outcomes. */
function checksOf(path, { accepted, unverified, rejected }) {
  const first = new Map(accepted.map((one) => [one.id, one]));
  const sequences = new Map();
  for (const { subject, sequence } of first.values())
    sequences.set(subject, [...(sequences.get(subject) ?? []), Number(sequence)]);
  const isInOrder = (list) => list.every((one, at) => at === 0 || list[at - 1] <= one);
  const unordered = [...sequences]
    .filter(([, list]) => !isInOrder(list))
    .map(([subject, list]) => `${subject} ${list}`);
  return [
    [`${path}: every message arrived (${first.size} of ${MESSAGES})`, first.size === MESSAGES],
    [[`${path}: every signature was verified`, ...unverified].join('; '), unverified.length === 0],
    [[`${path}: in order for each record`, ...unordered].join('; '), unordered.length === 0],
    [
      `${path}: ${path === '/flaky' ? 'some were rejected once' : 'none was rejected'}`,
      rejected > 0 === (path === '/flaky'),
    ],
  ];
}

async function test(bin) {
  await import('../test/support/typescript.mjs');
  const { ConsoleService } = await import('../test/support/console-service.ts');
  const receiver = await startReceiver(bin);
  const service = await ConsoleService.start({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  try {
    await deliver(service, receiver);
    const rows = [];
    const checks = [];
    for (const path of PATHS) {
      const report = await arrived(receiver, path, MESSAGES);
      checks.push(...checksOf(path, report));
      rows.push([`${path}: accepted, rejected`, `${report.accepted.length}, ${report.rejected}`]);
    }
    console.log(tableOf(rows));
    for (const [name, isGood] of checks) console.log(`${isGood ? 'ok    ' : 'FAILED'} ${name}`);
    const failures = checks.filter(([, isGood]) => !isGood).map(([name]) => name);
    return { passed: checks.length - failures.length, failures };
  } finally {
    await service.close();
    receiver.stop();
  }
}

await prepare();
const work = mkdtempSync(join(tmpdir(), 'kontor-webhooks-'));
try {
  const given = process.env.WEBHOOK_PYTHON;
  const bin = given ? binOf(given) : await pythonWith(join(work, 'python'), `standardwebhooks==${VERSION}`);
  if (bin !== undefined) report(import.meta.filename, await test(bin));
  else {
    console.error(
      `standardwebhooks ${VERSION} cannot be installed (this requires python3 with venv, and access to PyPI).`,
    );
    process.exitCode = process.env.REQUIRE_SERVERS === 'true' ? 1 : 0;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

// npm run test:fuzz: schemathesis sends requests generated from docs/openapi.json to the compiled service, where
// test/fuzz/ maintains a tenant, credentials and records. Prints a table at the end. The run fails if there is any
// finding, such as a status of 500 or above, an undocumented status, or an accepted invalid input. The run also fails
// if an operation was not reached. FUZZ_EXAMPLES=<n> sets the number of random requests per operation (default: 40),
// and FUZZ_SEED=<n> the seed (default: 1). FUZZ_ONLY=<path>[,<path>] limits the run to these paths. FUZZ_RESULT=<file>
// writes the findings as JSON. SCHEMATHESIS=<folder> uses an existing virtual environment. Without access to PyPI,
// Kontor's own property test with invalid bodies runs instead or, with REQUIRE_SERVERS=true, the run fails.
// TEST_REPORT: see jest.mjs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './checkout.mjs';
import { figuresOf, operationsOf, tableOf } from './fuzz-table.mjs';
import { jest, prepare } from './jest.mjs';
import { binOf, pythonWith } from './python.mjs';
import { report } from './test-report.mjs';

const VERSION = '4.32.5';
const WITHOUT_PYTHON = 'test/http/spoiled-bodies.property.test.ts';
const METRICS_TOKEN = 'what-the-fuzz-reads-metrics-with';
const folder = join(root, 'test', 'fuzz');
const document = join(root, 'docs', 'openapi.json');
const seed = Number(process.env.FUZZ_SEED ?? 1);
/** Number of examples for which the configuration is written. */
const USUAL_EXAMPLES = 40;
const examples = Number(process.env.FUZZ_EXAMPLES ?? USUAL_EXAMPLES);
const only = process.env.FUZZ_ONLY?.split(',') ?? [];

/** Path of schemathesis in a virtual environment below `work`. Undefined if schemathesis cannot be installed. */
async function schemathesis(work) {
  const given = process.env.SCHEMATHESIS;
  const bin = given === undefined ? await pythonWith(join(work, 'python'), `schemathesis==${VERSION}`) : binOf(given);
  return bin && join(bin, 'st');
}

/** The configuration, scaled to the requested number of examples. */
function configuration(work) {
  const text = readFileSync(join(folder, 'schemathesis.toml'), 'utf8');
  const scaled = text.replaceAll(/^max-examples = (\d+)$/gm, (_, usual) => {
    return `max-examples = ${Math.ceil((Number(usual) * examples) / USUAL_EXAMPLES)}`;
  });
  const path = join(work, 'schemathesis.toml');
  writeFileSync(path, scaled);
  return path;
}

/** Sends one request at a time, so that on two cores, the service uses one core and the fuzz run the other. */
function fuzz(program, url, operator, result, work) {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ PATH, HOME, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', SCHEMATHESIS_HOOKS: 'hooks' },
    ...{ FUZZ_URL: url, FUZZ_METRICS_TOKEN: METRICS_TOKEN, FUZZ_RESULT: result },
    ...{ FUZZ_OPERATOR_EMAIL: operator.email, FUZZ_OPERATOR_PASSWORD: operator.password },
  };
  const bounds = ['--seed', String(seed), '--workers', '1', '--checks', 'all'];
  const chosen = only.flatMap((path) => ['--include-path', path]);
  const config = ['--config-file', configuration(work)];
  return run(program, [...config, 'run', document, '--url', url, '--no-color', ...bounds, ...chosen], {
    env,
    cwd: work,
  });
}

/** Prints the errors that the service recorded. */
async function tellErrors(service) {
  const path = '/api/platform/error-logs?level=ERROR&pageSize=20';
  const { items } = await service.call(path, { token: await service.operator() });
  for (const { method, path: where, message, stack, count } of items)
    console.log(`\n${count} × ${method} ${where}: ${message}\n${stack ?? ''}`);
}

/** Starts a separate service, fuzzes it, and returns the counts. */
async function fuzzed(program, work) {
  await import('../test/support/typescript.mjs');
  const { ConsoleService, OPERATOR } = await import('../test/support/console-service.ts');
  const result = process.env.FUZZ_RESULT ?? join(work, 'result.json');
  rmSync(result, { force: true });
  // The service trusts the client address that a request claims. Fuzz requests and setup requests claim different
  // addresses, so that fuzz requests do not throttle the setup.
  const service = await ConsoleService.start({ METRICS_TOKEN, TRUST_PROXY: 'true' });
  try {
    console.log(`Fuzzing ${service.url} (seed ${seed}, ${examples} examples)`);
    const code = await fuzz(program, service.url, OPERATOR, result, work);
    const told = JSON.parse(readFileSync(result, 'utf8'));
    const wanted = operationsOf(JSON.parse(readFileSync(document, 'utf8')), only);
    const { missed, rows, serverErrors } = figuresOf(wanted, told);
    for (const { kind, operation, status, count, message, answer, curl } of told.findings)
      console.log(`\n${count} × ${kind} at ${operation}: ${status}\n${message}\n${answer}\n${curl}`);
    if (serverErrors > 0) await tellErrors(service);
    for (const operation of missed) console.log(`Not covered: ${operation}`);
    console.log(`\n${tableOf([['seed', seed], ['examples', examples], ...rows])}`);
    const failures = [
      ...missed.map((operation) => `${operation} was not covered`),
      ...told.findings.map(({ kind, operation, status }) => `${kind} at ${operation}: ${status}`),
      ...(serverErrors > 0 ? ['The service recorded errors'] : []),
    ];
    // schemathesis may also fail without a finding, for example because of an internal error.
    if (failures.length === 0 && code !== 0) failures.push(`schemathesis ended with ${code}`);
    return { passed: wanted.length - missed.length, failures };
  } finally {
    await service.close();
  }
}

await prepare();
const work = mkdtempSync(join(tmpdir(), 'kontor-fuzz-'));
try {
  const program = await schemathesis(work);
  if (program !== undefined) report(import.meta.filename, await fuzzed(program, work));
  else {
    console.error(
      `schemathesis ${VERSION} cannot be installed (this requires python3 with venv, and access to PyPI). ` +
        `${WITHOUT_PYTHON} runs instead.`,
    );
    process.exitCode = process.env.REQUIRE_SERVERS === 'true' ? 1 : await jest('-w', '1', WITHOUT_PYTHON);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

// npm run bench -- [--only B3,B5] [--quick] [--runs N] [--events 10000,100000] [--name NAME] [--keep DIR]
//                   [--both-cores]
//
// Measures every figure of docs/performance.md, one after another, each in a separate process. Prints a table and
// writes all results to bench/results/<date>-<name>.json. The subject runs on one core, its load on the other. Missed
// goals do not fail the command, but errors and figures that cannot be measured do.
//   --quick       short and small, about ten minutes: a smoke test, not to be quoted
//   --only        only these figures; required for figures without a goal, such as backup, audit and reports
//   --events      growth curves: B1, B2, B3, B6 and B7 at each of these sizes; other figures only with --only
//   --keep        folder for prepared histories, which later runs reuse
//   --both-cores  no CPU pinning
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { figures, peerLacks } from './bench-figures.mjs';
import { canPin, commit, machine, otherWork } from './bench-machine.mjs';
import { curves, curveTable, table } from './bench-table.mjs';
import { buildIfStale, install, root } from './checkout.mjs';

/** Result file of this run, created with the first result. */
let file;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    events: { type: 'string' },
    name: { type: 'string' },
    keep: { type: 'string' },
    'both-cores': { type: 'boolean', default: false },
  },
});

function chosen() {
  const ids = values.only?.split(',').map((id) => id.trim().toLowerCase());
  const known = [...new Set(figures.flatMap((figure) => figure.ids))];
  const unknown = ids?.filter((id) => !known.some((one) => one.toLowerCase() === id)) ?? [];
  if (unknown.length > 0)
    throw new Error(`Unknown figures: ${unknown.join(', ')}. Known figures: ${known.join(', ')}.`);
  if (!ids) return figures.filter(({ growth, beside }) => !beside && (values.events === undefined || growth));
  return figures.filter((figure) => figure.ids.some((id) => ids.includes(id.toLowerCase())));
}

/** Runs a program. Resolves with the last line of its output once the program has succeeded. */
function lastLine(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(text.trim().split('\n').at(-1));
      else reject(new Error(`its program ended with ${code ?? signal}`));
    });
  });
}

function argumentsOf({ program, growth, peer }, folder, noPeer) {
  return [
    ...['--import', './test/support/typescript.mjs', `bench/${program}.bench.ts`, '--folder', folder],
    ...(values.quick ? ['--quick'] : []),
    ...(values['both-cores'] ? ['--both-cores'] : []),
    ...(values.runs ? ['--runs', values.runs] : []),
    ...(values.events && growth ? ['--events', values.events] : []),
    ...(peer && noPeer ? ['--no-peer', noPeer] : []),
  ];
}

async function measure(figure, folder, noPeer) {
  const lacking = figure.lacks();
  const [id] = figure.ids;
  if (lacking) return [{ figure: id, name: figure.what, notRun: `needs ${lacking}` }];
  const before = await otherWork();
  const warnings = before.isQuiet ? [] : ['Other programs were using the machine when this measurement began.'];
  console.error(`${figure.ids.join(', ')}: ${figure.what} (load ${before.load[0]}${before.isQuiet ? '' : ', BUSY'})`);
  const beganMs = performance.now();
  const told = await lastLine(argumentsOf(figure, folder, noPeer)).then(
    (line) => JSON.parse(line).figures,
    (error) => [{ figure: id, name: figure.what, failed: error.message }],
  );
  const seconds = Math.round((performance.now() - beganMs) / 1_000);
  const shared = { before, seconds, ...(warnings.length > 0 && { warnings }) };
  const measured = told.map((one) => ({ ...one, ...shared }));
  if (figure.peer && noPeer && !values.events)
    measured.push({ figure: id, name: 'compared with the peer', notRun: noPeer });
  return measured;
}

async function main() {
  const selection = chosen();
  await install();
  await buildIfStale({ withModules: true });
  const hasPeer = selection.some(({ peer }) => peer) && !values.events;
  const noPeer = hasPeer ? await peerLacks() : undefined;
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'kontor-bench-'));
  const all = [];
  let kept;
  const began = new Date();
  const about = { ...machine(), pinned: canPin() && !values['both-cores'] };
  try {
    for (const figure of selection) {
      all.push(...(await measure(figure, folder, noPeer)));
      kept = keep(all, about, began);
    }
  } finally {
    if (!values.keep) rmSync(folder, { recursive: true, force: true });
  }
  tell(kept);
}

const usualName = () => (values.quick ? 'quick' : values.events ? 'growth' : 'bench');

/**
 * Saves the results so far, in case a later figure fails or the run is interrupted. Returns the results and the file
 * path.
 */
function keep(all, about, began) {
  const quiet = all.every(({ warnings }) => warnings === undefined);
  const result = { began: began.toISOString(), quick: values.quick, quiet, machine: about, ...commit() };
  const whole = { ...result, figures: all, curves: curves(all) };
  file ??= newFile(`${began.toISOString().slice(0, 10)}-${values.name ?? usualName()}`);
  writeFileSync(file, `${JSON.stringify(whole, null, 1)}\n`);
  return { whole, file };
}

/** Returns the path of a new file, so that the results of earlier runs remain. */
function newFile(name) {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? `${name}.json` : `${name}-${count}.json`);
    if (!existsSync(path)) return path;
  }
}

function tell({ whole, file }) {
  console.log(table(whole.figures));
  if (whole.curves.length > 0) console.log(`\n${curveTable(whole.curves)}`);
  if (!whole.quiet) console.log('\nOther programs used the machine during the run, which affects these figures.');
  if (values.quick) console.log('\nShort runs with small histories: a smoke test, not to be quoted.');
  console.log(`\n${file}`);
  if (whole.figures.some(({ failed, errors }) => failed !== undefined || errors > 0)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

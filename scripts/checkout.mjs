// Provides the prerequisites of every command: dependencies, and the compiled service. Uses only Node's own modules,
// because it must run on a fresh clone.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

/** npm writes this file last. Its modification time is therefore the completion time of the installation. */
const INSTALLED = at('node_modules', '.package-lock.json');
const LOCK = at('package-lock.json');
const SOURCES = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((path) => at(path));
/** Build targets with their inputs. `mark` is written only after a successful build. */
const service = {
  what: 'the service',
  result: at('dist', 'main.js'),
  mark: at('dist', '.built'),
  inputs: [...SOURCES, at('scripts', 'bundle.mjs')],
  build: buildService,
};
const operatorsConsole = {
  what: 'the console',
  result: at('dist', 'console', 'index.html'),
  mark: at('dist', 'console', '.built'),
  inputs: ['console', 'clients/typescript/src', 'package-lock.json'].map((path) => at(path)),
  build: buildConsole,
};
/** Modules that tests and benchmarks import. The service itself does not require them. */
const modules = {
  what: 'the modules of the service',
  result: at('dist', 'modules', 'main.js'),
  mark: at('dist', 'modules', '.built'),
  inputs: SOURCES,
  build: buildModules,
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Kontor needs Node 20.19 or later; this is ${process.version}.`);
  process.exit(1);
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : -Infinity);

const isLink = (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/**
 * Latest modification time below a path. Includes folders, because the removal of a file changes the modification time
 * of its folder.
 */
function latestChange(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) return changedAt(path);
  return readdirSync(path).reduce((latest, name) => Math.max(latest, latestChange(join(path, name))), changedAt(path));
}

/**
 * Runs a program until it exits, and returns its exit code. Forwards signals to the program, which decides how to exit.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    const pass = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM'];
    for (const signal of signals) process.on(signal, pass);
    child.on('error', reject);
    child.on('close', (code) => {
      for (const signal of signals) process.off(signal, pass);
      resolve(code ?? 1);
    });
  });
}

export const node = (...args) => run(process.execPath, args);

async function must(what, running) {
  const code = await running;
  if (code === 0) return;
  console.error(`${what} failed.`);
  process.exit(code);
}

/**
 * Installs the dependencies in the lock file, unless they have been installed since its last change. Includes
 * development tools, which the build requires. Does not change a symlinked node_modules, which belongs to another
 * checkout and which `npm ci` would empty.
 */
export async function install() {
  if (changedAt(INSTALLED) >= changedAt(LOCK) || isLink(at('node_modules'))) return;
  console.error('Installing dependencies ...');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const npmIsScript = npm !== undefined && /\.[cm]?js$/.test(npm);
  await must(
    'The installation',
    npmIsScript ? node(npm, ...args) : run('npm', args, { shell: process.platform === 'win32' }),
  );
}

/** Bundles src/ into dist/. Removes earlier output, except parts that are built separately. */
async function buildService() {
  const left = existsSync(at('dist')) ? readdirSync(at('dist')) : [];
  for (const name of left)
    if (!['console', 'modules'].includes(name)) rmSync(at('dist', name), { recursive: true, force: true });
  await must('The build', node(at('scripts', 'bundle.mjs')));
}

/** Compiles src/ file by file into dist/modules/. */
async function buildModules() {
  rmSync(at('dist', 'modules'), { recursive: true, force: true });
  await must('The compilation', node(at('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'));
}

/** Bundles console/ into dist/console/. */
async function buildConsole() {
  rmSync(at('dist', 'console'), { recursive: true, force: true });
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  await must("The console's build", node(vite, 'build', 'console', '--logLevel', 'warn'));
}

async function buildPart({ what, mark, build }) {
  console.error(`Building ${what} ...`);
  await build();
  writeFileSync(mark, '');
}

const partsOf = ({ withModules = false } = {}) => [service, operatorsConsole, ...(withModules ? [modules] : [])];

export async function build(options) {
  for (const part of partsOf(options)) await buildPart(part);
}

/** Builds each part that is older than its inputs: the service, the console, and the modules if requested. */
export async function buildIfStale(options) {
  for (const part of partsOf(options)) {
    const inputs = part.inputs.map(latestChange);
    if (!existsSync(part.result) || changedAt(part.mark) < Math.max(...inputs)) await buildPart(part);
  }
}

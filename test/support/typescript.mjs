// Lets Node import TypeScript sources: node --import ./test/support/typescript.mjs child.ts. The suites also use it
// (scripts/test-runner.mjs). This module keeps compiled files in node_modules/.cache, under the hash of their source.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformSync, version } from '@swc/core';

if (isMainThread) register(import.meta.url);

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/typescript', import.meta.url));
const TESTS = new URL('..', import.meta.url).pathname;
const OPTIONS = {
  configFile: false,
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true },
  },
  module: { type: 'es6' },
  sourceMaps: true,
};
const SALT = version + JSON.stringify(OPTIONS);

/** Replaces the file atomically, because other processes may write the same file. */
function write(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}

/** Compiles the file, unless it has been compiled before, and returns the paths of the code and of its source map. */
function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const name = createHash('sha256').update(`${SALT}\n${filename}\n${source}`).digest('hex');
  const path = join(CACHE, `${name}.js`);
  if (!existsSync(path)) {
    const { code, map } = transformSync(source, { ...OPTIONS, filename });
    mkdirSync(CACHE, { recursive: true });
    write(`${path}.map`, map);
    write(path, code);
  }
  return { code: path, map: `${path}.map` };
}

const maps = new Map();

/** Returns the path of a TypeScript file's source map. `file` is a path or URL, as it appears in a stack trace. */
export function sourceMapOf(file) {
  if (!maps.has(file)) {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    maps.set(file, path.endsWith('.ts') && existsSync(path) ? compiled(path).map : undefined);
  }
  return maps.get(file);
}

/** Whether a module inherits the URL query of the module that imports it. */
const inherits = ({ searchParams }, { pathname }) => searchParams.has('all') || pathname.startsWith(TESTS);

/**
 * A query in a suite's URL creates separate instances of all `test/` modules that the suite imports. With `all`, it
 * also creates separate instances of the `src/` modules.
 */
export async function resolve(specifier, context, next) {
  if (!/^(\.|file:).*\.[jt]s$/.test(specifier) || !context.parentURL?.startsWith('file:'))
    return next(specifier, context);
  const parent = new URL(context.parentURL);
  const source = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  if (!parent.pathname.endsWith('.ts') || !existsSync(source)) return next(specifier, context);
  if (inherits(parent, source)) source.search = parent.search;
  return next(source.href, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) return next(url, context);
  const { code } = compiled(fileURLToPath(url));
  return { format: 'module', source: readFileSync(code, 'utf8'), shortCircuit: true };
}

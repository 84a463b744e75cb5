// Runs a suite with Jest's functions (describe, test, expect), but imports it with Node's own loader. All suites of a
// worker therefore share the modules of the service and of its dependencies. Jest's own loader would read, compile and
// evaluate about a thousand modules for each suite, and never release them.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { sourceMapOf } from '../test/support/typescript.mjs';

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');

/** Jest's own event handlers. Each suite adds more. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const OWN_HANDLERS = 2;

/** Loads the module again, because it contains the state of a suite. */
function requireInternalModule(path) {
  Reflect.deleteProperty(require.cache, path);
  globalThis[HANDLERS]?.splice(OWN_HANDLERS);
  return require(path);
}

let suites = 0;

/**
 * Imports a suite with separate instances of the modules in `test/`, because these may contain hooks and state. With
 * `ownModules`, the suite also gets separate instances of the modules in `src/`.
 */
function importSuite(path, { ownModules = false }) {
  suites += 1;
  const url = pathToFileURL(path);
  url.search = String(new URLSearchParams({ suite: suites, ...(ownModules && { all: '' }) }));
  return import(url.href);
}

export default function runSuite(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const native = Object.assign(Object.create(runtime), {
    requireInternalModule,
    requireModule: require,
    setGlobalsForRuntime: () => undefined,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => importSuite(path, environment.options),
  });
  // Jest looks up the lines of stack traces here.
  runtime.getSourceMaps().get = sourceMapOf;
  return circus(globalConfig, config, environment, native, testPath, sendMessageToJest);
}

// Jest environment without a separate context: suites run in the realm of the worker, so they share the modules of
// the service (scripts/test-runner.mjs). Restores the globals that a suite may change.
//
// Also releases a suite's AsyncLocalStorage instances. Node.js copies the store of every enabled instance to every new
// promise. If they were not released, the instances of completed suites would slow down all later suites of the same
// worker.
import { AsyncLocalStorage } from 'node:async_hooks';

const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

/** Jest's runtime resets mocks after each suite. No suite uses mocks. */
const noMocks = { clearAllMocks() {}, resetAllMocks() {}, restoreAllMocks() {} };

export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = noMocks;
  fakeTimers = null;
  fakeTimersModern = null;
  /** `ownModules`: the suite shares none of the service's modules with other suites. */
  options;
  #before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };

  constructor({ projectConfig }) {
    this.options = projectConfig.testEnvironmentOptions;
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {}

  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    const { console, exit, env } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
  }
}

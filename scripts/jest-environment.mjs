// Jest environment that releases the AsyncLocalStorage instances of a suite. Node.js copies the store of every enabled
// instance to every new promise. If they were not released, the instances of completed suites would slow down all later
// suites of the same worker.
import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

export default class ReleasingEnvironment extends TestEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}

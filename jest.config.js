import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './scripts/memory-folder.mjs';

/** Suites that measure time. They run one after another, without other suites. */
const ALONE = [
  ...['test/security/passwords', 'test/security/sign-in-time'],
  ...['test/adapters/memory-cache', 'test/aggregates/fields', 'test/eventsourcing/backpressure', 'test/http/body-cost'],
  ...['test/e2e/costly-bodies', 'test/e2e/maximal-batches'],
  // Every range must be led within six seconds of a fault, even though four replicas share two cores.
  'test/real/ranges',
  // The service waits for Redis for half a second, then continues without it.
  ...['test/real/redis', 'test/real/cache-administration', 'test/real/rate-limit'],
];

const project = {
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  testRunner: '<rootDir>/scripts/test-runner.mjs',
  roots: ['<rootDir>/test'],
  cacheDirectory: join(tmpdir(), 'kontor-jest'),
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  // The runner's import hooks compile TypeScript.
  transform: {},
};

process.env.TMPDIR = temporaryFolder();

export default {
  testSequencer: '<rootDir>/scripts/test-sequencer.mjs',
  // Most suites spend much of their time waiting, so there may be more workers than cores.
  maxWorkers: 4,
  maxConcurrency: 3,
  // Node.js never releases the modules of a suite, so a worker is replaced before they fill the memory.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 180_000,
  projects: [
    { ...project, testMatch: ['**/*.test.ts', ...ALONE.map((suite) => `!**/${suite}.test.ts`)] },
    {
      ...project,
      testMatch: ALONE.map((suite) => `**/${suite}.test.ts`),
      testEnvironmentOptions: { ownModules: true },
      runner: '<rootDir>/scripts/serial-runner.mjs',
    },
  ],
};

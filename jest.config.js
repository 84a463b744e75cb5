import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './scripts/memory-folder.mjs';

/** Suites that measure time, or keep every processor busy: they run by themselves, one after another. */
const ALONE = [
  ...['test/security/passwords', 'test/security/sign-in-time', 'test/security/hostile-text'],
  ...['test/adapters/memory-cache', 'test/aggregates/fields', 'test/eventsourcing/backpressure', 'test/http/body-cost'],
  ...['test/e2e/costly-bodies', 'test/e2e/ten-thousand-sales'],
  // Four and three services with their servers.
  ...['test/real/ranges', 'test/real/replicas'],
  // The service waits half a second for Redis, then does without.
  ...['test/real/redis', 'test/real/cache-administration', 'test/real/rate-limit'],
];

const project = {
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  roots: ['<rootDir>/test'],
  cacheDirectory: join(tmpdir(), 'kontor-jest'),
  extensionsToTreatAsEsm: ['.ts'],
  // Imports have no extension after the mapping below: the first one that is tried is nearly always right.
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

process.env.TMPDIR = temporaryFolder();

export default {
  // Most suites wait for much of their time, so that workers outnumber small machines' cores.
  maxWorkers: 4,
  // Jest never lets go of what a suite of ES modules has loaded: a worker is made anew before that fills the memory.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 60_000,
  projects: [
    { ...project, testMatch: ['**/*.test.ts', ...ALONE.map((suite) => `!**/${suite}.test.ts`)] },
    {
      ...project,
      testMatch: ALONE.map((suite) => `**/${suite}.test.ts`),
      runner: '<rootDir>/scripts/serial-runner.mjs',
    },
  ],
};

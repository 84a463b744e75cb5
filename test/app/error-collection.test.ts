import { readConfig } from '../../src/config.js';
import { collectErrors, secretsOf } from '../../src/app/error-collection.js';
import type { ErrorReport } from '../../src/aggregates/error-log.aggregate.js';
import { silentLogger } from '../../src/ports/log.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';

const config = readConfig({
  EVENTSTORE_URL: 'esdb://admin:changed-it@db:2113',
  MONGODB_URL: 'mongodb://root:p%40ssword@a,b/kontor',
  NATS_URL: 'nats://u:nats-secret@a:4222,nats://v:other-secret@b:4222',
  REDIS_URL: 'redis://:redis-secret@cache',
  OPERATOR_EMAIL: 'op@kontor.test',
  OPERATOR_PASSWORD: 'operator-secret',
  JWT_SIGNING_KEY: '{"kty":"OKP","d":"c2VjcmV0"}',
});
const SECRETS = [
  'changed-it',
  'p%40ssword',
  'p@ssword',
  'nats-secret',
  'other-secret',
  'redis-secret',
  'operator-secret',
  '{"kty":"OKP","d":"c2VjcmV0"}',
];

test('Secrets of the settings are recognized, including within URLs, and nothing else', () => {
  expect(secretsOf(config).toSorted()).toEqual(expect.arrayContaining(SECRETS.toSorted()));
  expect(new Set(secretsOf(config))).toEqual(new Set(SECRETS));
  expect(secretsOf(readConfig({}))).toEqual([]);
});

test('Errors before the error log is available are recorded later, without secrets', async () => {
  const clock = new ManualClock();
  const { errors, logger } = collectErrors(config, { clock, ids: new SeededIds(1), logger: silentLogger });
  for (const secret of SECRETS) logger.error({ err: new Error(`It said ${secret}`), subscriber: secret }, 'It broke');
  const reports: ErrorReport[] = [];
  errors.attach((report) => {
    reports.push(report);
    return Promise.resolve();
  });
  await clock.advance(1_000);
  await errors.close();
  expect(reports.map(({ details: { message } }) => message)).toEqual(SECRETS.map(() => '***: It broke: It said ***'));
});

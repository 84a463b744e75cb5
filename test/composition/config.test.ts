import { ConfigError, readConfig } from '../../src/config.js';

const faultsOf = (environment: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

const SERVERS = { EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false', MONGODB_URL: 'mongodb://127.0.0.1/kontor' };

describe('The settings', () => {
  test('are complete without any: one process on its embedded engines that does everything', () => {
    const config = readConfig({});
    expect(config.ROLES).toEqual(['http', 'projections', 'forwarder', 'policies', 'jobs']);
    expect([config.EVENTSTORE_URL, config.MONGODB_URL, config.NATS_URL, config.REDIS_URL]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('an empty value is as good as none', () => {
    expect(readConfig({ PORT: '', ROLES: '', NATS_URL: '' })).toEqual(readConfig({}));
  });

  test.each([
    ['EVENTSTORE_URL', 'http://127.0.0.1:2113'],
    ['MONGODB_URL', 'postgres://127.0.0.1/kontor'],
    ['NATS_URL', '127.0.0.1:4222'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,proxy.example'],
    ['SUBSCRIBERS', 'both'],
    ['ROLES', 'http,janitor'],
    ['ROLES', ','],
    ['JOB_SCHEDULES', 'nothing=off'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_TOKEN', 'too-short'],
    ['METRICS_TOKEN', 'not to be sent as it is'],
    ['READ_WAIT_MS', '-1'],
    ['OPERATOR_EMAIL', 'nobody'],
  ])('%s does not take %s, and says so by name', (name, value) => {
    expect(faultsOf({ [name]: value }).filter((fault) => fault.startsWith(name))).not.toEqual([]);
  });

  test('all faults are told at once', () => {
    expect(faultsOf({ PORT: 'x', REDIS_URL: 'x', OPERATOR_EMAIL: 'a@b.example' })).toHaveLength(3);
  });

  test('no fault shows the value, which may hold a password', () => {
    expect(faultsOf({ REDIS_URL: 'http://:secret@127.0.0.1' }).join()).not.toContain('secret');
  });

  test('a process may do a part where the rest is shared with others', () => {
    expect(readConfig({ ...SERVERS, ROLES: ' policies, http' }).ROLES).toEqual(['http', 'policies']);
  });

  test.each([{}, { EVENTSTORE_URL: SERVERS.EVENTSTORE_URL }, { MONGODB_URL: SERVERS.MONGODB_URL }])(
    'a process on engines of its own cannot do a part only: %p',
    (environment) => {
      expect(faultsOf({ ...environment, ROLES: 'http' })).toEqual([expect.stringContaining('EVENTSTORE_URL')]);
    },
  );
});

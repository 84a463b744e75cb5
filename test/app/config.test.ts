import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig, secretSettings, takeConfig } from '../../src/config.js';

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
  test('are optional: by default one process with embedded engines does everything', () => {
    const config = readConfig({});
    expect(config.ROLES).toEqual(['http', 'projections', 'forwarder', 'policies', 'jobs']);
    expect([config.EVENTSTORE_URL, config.MONGODB_URL, config.NATS_URL, config.REDIS_URL]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('treat an empty value as missing', () => {
    expect(readConfig({ PORT: '', ROLES: '', NATS_URL: '' })).toEqual(readConfig({}));
  });

  test.each([
    ['EVENTSTORE_URL', 'http://127.0.0.1:2113'],
    ['MONGODB_URL', 'postgres://127.0.0.1/kontor'],
    ['NATS_URL', '127.0.0.1:4222'],
    ['NATS_URL', 'ws://127.0.0.1:4222'],
    ['NATS_STREAM_REPLICAS', '6'],
    ['NATS_STREAM_MAX_AGE_HOURS', '0'],
    ['NATS_STREAM_MAX_BYTES', '1.5'],
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
    ['ALLOWED_HOSTS', 'https://books.example'],
    ['ALLOWED_HOSTS', 'books.example,'],
    ['ALLOWED_HOSTS', 'books.example:443'],
    ['USER_REQUESTS_PER_MINUTE', '0'],
    ['OPERATOR_EMAIL', 'nobody'],
  ])('reject %s with the value %s, and name it', (name, value) => {
    expect(faultsOf({ [name]: value }).filter((fault) => fault.startsWith(name))).not.toEqual([]);
  });

  test('report all faults at once', () => {
    expect(faultsOf({ PORT: 'x', REDIS_URL: 'x', OPERATOR_EMAIL: 'a@b.example' })).toHaveLength(3);
  });

  test('require the key of a client certificate for NATS, and one NATS user', () => {
    expect(faultsOf({ NATS_TLS_CERT_FILE: 'client.pem' })).toEqual([expect.stringContaining('NATS_TLS_KEY_FILE')]);
    const twice = { NATS_CREDS_FILE: 'user.creds', NATS_NKEY_FILE: 'user.nk' };
    expect(faultsOf(twice)).toEqual([expect.stringContaining('set only one of them')]);
  });

  test.each([
    ['http://pager.example/alerts', 'Must be an HTTPS URL.'],
    ['https://10.0.0.7/alerts', 'Must be a public address.'],
    ['https://localhost/alerts', 'Must be a public address.'],
  ])('reject a receiver of alerts that can never receive any, and name the remedy: %s', (url, reason) => {
    const remedy = 'WEBHOOK_ALLOW_PRIVATE=true allows HTTP and private networks.';
    expect(faultsOf({ ALERT_WEBHOOK_URL: url })).toEqual([`ALERT_WEBHOOK_URL: ${reason} ${remedy}`]);
    expect(faultsOf({ ALERT_WEBHOOK_URL: url, WEBHOOK_ALLOW_PRIVATE: 'true' })).toEqual([]);
  });

  test('reject a password in the URL of the receiver of alerts', () => {
    expect(
      faultsOf({ ALERT_WEBHOOK_URL: 'https://pager:secret@pager.example', WEBHOOK_ALLOW_PRIVATE: 'true' }),
    ).toEqual(['ALERT_WEBHOOK_URL: Must not contain a user name or a password.']);
    expect(faultsOf({ ALERT_WEBHOOK_URL: 'https://pager.example/alerts' })).toEqual([]);
  });

  test('never show a value, which may contain a password', () => {
    expect(faultsOf({ REDIS_URL: 'http://:secret@127.0.0.1' }).join()).not.toContain('secret');
  });

  test('allow a process to have only some of the roles if engines are shared', () => {
    expect(readConfig({ ...SERVERS, ROLES: ' policies, http' }).ROLES).toEqual(['http', 'policies']);
  });

  test.each([{}, { EVENTSTORE_URL: SERVERS.EVENTSTORE_URL }, { MONGODB_URL: SERVERS.MONGODB_URL }])(
    'require all roles of a process with embedded engines: %p',
    (environment) => {
      expect(faultsOf({ ...environment, ROLES: 'http' })).toEqual([expect.stringContaining('EVENTSTORE_URL')]);
    },
  );
});

describe('A secret setting', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const inFile = async (text: string): Promise<string> => {
    const path = join(folder, 'secret');
    await writeFile(path, text);
    return path;
  };

  test.each([
    ['EVENTSTORE_URL', 'esdb://admin:secret@events:2113'],
    ['MONGODB_URL', 'mongodb://kontor:secret@models/kontor'],
    ['NATS_URL', 'nats://kontor:secret@broker:4222'],
    ['REDIS_URL', 'redis://:secret@cache:6379'],
    ['METRICS_TOKEN', 'a-token-for-prometheus'],
    ['JWT_SIGNING_KEY', '{"kty":"OKP"}'],
  ] as const)('%s can be in a file, with a final line break', async (name, value) => {
    expect(readConfig({ [`${name}_FILE`]: await inFile(`${value}\n`) })[name]).toBe(value);
  });

  test('can be in a file if it depends on another setting', async () => {
    const path = await inFile('ten characters or more');
    const config = readConfig({ OPERATOR_EMAIL: 'you@company.example', OPERATOR_PASSWORD_FILE: path });
    expect(config.OPERATOR_PASSWORD).toBe('ten characters or more');
  });

  test('in a file is validated without being shown', async () => {
    const faults = faultsOf({ REDIS_URL_FILE: await inFile('http://:secret@127.0.0.1') });
    expect([faults.length, faults.join().includes('REDIS_URL'), faults.join().includes('secret')]).toEqual([
      1,
      true,
      false,
    ]);
  });

  test('is rejected if its file does not exist, or if it is given twice', async () => {
    expect(faultsOf({ NATS_URL_FILE: join(folder, 'none') })).toEqual(['NATS_URL_FILE: cannot be read (ENOENT)']);
    const path = await inFile('nats://127.0.0.1');
    expect(faultsOf({ NATS_URL_FILE: path, NATS_URL: 'nats://127.0.0.1' })).toEqual([
      'NATS_URL and NATS_URL_FILE: set only one of them',
    ]);
    expect(faultsOf({ NATS_URL_FILE: '', NATS_URL: 'nats://127.0.0.1' })).toEqual([]);
  });

  test('is removed from the environment after reading', () => {
    const before = { ...process.env };
    try {
      for (const name of secretSettings) Reflect.deleteProperty(process.env, name);
      const given = { OPERATOR_EMAIL: 'you@company.example', OPERATOR_PASSWORD: 'ten characters or more' };
      Object.assign(process.env, given, { REDIS_URL: 'redis://:secret@cache:6379' });
      const { OPERATOR_PASSWORD, REDIS_URL } = takeConfig();
      expect([OPERATOR_PASSWORD, REDIS_URL]).toEqual(['ten characters or more', 'redis://:secret@cache:6379']);
      expect([process.env['OPERATOR_PASSWORD'], process.env['REDIS_URL']]).toEqual([undefined, undefined]);
      expect(process.env['OPERATOR_EMAIL']).toBe('you@company.example');
    } finally {
      process.env = before;
    }
  });
});

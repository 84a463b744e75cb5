import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { call, KontorProcess, OPERATOR, PLAIN, until, withDirectory } from './kontor-process.js';

const bash = async (line: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', line], { timeout: 30_000 })).stdout;

/** Returns the first line with the given beginning, as a user would copy it from the screen. */
const lineWith = (text: string, beginning: string): string =>
  text.split('\n').find((line) => line.startsWith(beginning)) ?? '';

type CustomerPage = {
  readonly items: readonly { readonly name: string; readonly balance: { readonly amount: string } }[];
};
type TransactionPage = {
  readonly items: readonly {
    readonly type: string | null;
    readonly documentEffect: string | null;
    readonly amount: string;
  }[];
};

describe('A first start in development', () => {
  test('prints its secrets once, and two commands that turn a sale into an invoice and a collection', async () => {
    await withDirectory(async (directory) => {
      const settings = { NODE_ENV: 'development' };
      const first = await KontorProcess.ready(directory, settings);
      await fetch(`${await first.url()}/readyz`);
      // The service prints the secrets and commands after the log line that contains the URL.
      await eventually(() => lineWith(first.stdout, 'until ') !== '', 5_000);
      const post = lineWith(first.stdout, 'curl ');
      const show = lineWith(first.stdout, 'until ');

      const accepted = await bash(post);
      const replayed = await bash(post);
      expect(accepted).toMatch(/\n202\n$/);
      expect(replayed).toMatch(/\n200\n$/);
      expect(replayed.replace(/200\n$/, '')).toBe(accepted.replace(/202\n$/, ''));

      const [customers, transactions] = (await bash(show)).split('\n') as [string, string];
      const [ada] = (JSON.parse(customers) as CustomerPage).items;
      expect(ada).toMatchObject({ name: 'Ada Yilmaz', balance: { amount: '138.00', currency: 'EUR' } });
      const { items } = JSON.parse(transactions) as TransactionPage;
      expect(items.map(({ type, documentEffect, amount }) => [documentEffect ?? type, amount]).toSorted()).toEqual([
        ['COLLECTION', '100.00'],
        ['INVOICE', '238.00'],
      ]);

      const secrets = [...first.stdout.matchAll(/^ {2}(\S+@\S+) {2}(\S+) {3}\(/gm)].map(([, email, password]) => ({
        email: email ?? '',
        password: password ?? '',
      }));
      expect(secrets).toHaveLength(2);
      await first.stop();

      const second = await KontorProcess.ready(directory, settings);
      const url = await second.url();
      for (const { email, password } of secrets) {
        expect(second.stdout).not.toContain(password);
        await call(`${url}/api/auth/login`, { body: { email, password } });
      }
      expect(second.stdout).not.toContain('curl');
      expect(second.stdout).toContain(`stop Kontor and remove the folder ${directory}`);
      const [again] = (await bash(show.replaceAll(await first.url(), url))).split('\n') as [string];
      expect((JSON.parse(again) as CustomerPage).items).toHaveLength(1);
      await second.stop();
    });
  });

  test('creates only the configured operator in production', async () => {
    await withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, { ...PLAIN, SEED_DEMO: 'true' });
      expect(kontor.stdout).not.toContain('partner key');
      await call(`${await kontor.url()}/api/auth/login`, { body: OPERATOR });
      await kontor.stop();
    });
  });
});

test('No thread of a service loads the fetch client of Node.js', async () => {
  await withDirectory(async (directory) => {
    // At exit, each thread prints the built-in modules of Node.js that it has loaded.
    const report = `data:text/javascript,process.on('exit',()=>process._rawDebug('loaded',process.moduleLoadList.join()))`;
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, NODE_OPTIONS: `--import ${report}` });
    await kontor.stop();
    const loaded = kontor.stderr.split('\n').filter((line) => line.startsWith('loaded '));
    expect(loaded.length).toBeGreaterThan(1);
    for (const list of loaded) {
      expect(list).toContain('NativeModule http,');
      expect(list).not.toContain('undici');
    }
  });
});

test('Stored data is readable only by the account of the service', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const names = await readdir(directory);
    expect(names).toEqual(
      expect.arrayContaining(['history.sqlite', 'models.sqlite', 'models.sqlite-wal', 'broker.sqlite']),
    );
    const modes = await Promise.all(
      names.map(async (name) => [name, (await stat(join(directory, name))).mode & 0o077]),
    );
    expect(modes.filter(([, mode]) => mode !== 0)).toEqual([]);
    await kontor.stop();
  });
});

test('A data folder readable by others is restricted at start, with a warning', async () => {
  await withDirectory(async (directory) => {
    await chmod(directory, 0o755);
    const kontor = await KontorProcess.ready(directory, PLAIN);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(kontor.stdout).toContain('other accounts could read the data folder');
    await kontor.stop();
  });
});

test('A backup folder that cannot be written is reported at start', async () => {
  await withDirectory(async (directory) => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, BACKUP_DIR: file });
    expect(kontor.stdout).toContain(`BACKUP_DIR ${file} is not writable: it is not a directory`);
    await kontor.stop();
  });
});

test('A process without the role jobs does not report a backup folder that cannot be written', async () => {
  await withDirectory(async (directory) => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const servers = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:1/kontor' };
    const kontor = new KontorProcess(directory, { ...PLAIN, ...servers, ROLES: 'projections', BACKUP_DIR: file });
    await until(
      () => Promise.resolve(kontor.stdout),
      (log) => log.includes('\n'),
    );
    await kontor.stop();
    expect(kontor.stdout).toContain('draining');
    expect(kontor.stdout).not.toContain('BACKUP_DIR');
  });
});

describe('A start that fails', () => {
  test('on the data of a running service is rejected without damage', async () => {
    await withDirectory(async (directory) => {
      const first = await KontorProcess.ready(directory, PLAIN);
      const second = new KontorProcess(directory, PLAIN);
      expect(await second.exit).toEqual({ code: 1, signal: null });
      expect(second.stderr).toContain(`already writes to the event history in ${directory}`);
      expect((await fetch(`${await first.url()}/readyz`)).status).toBe(200);
      expect(await first.stop()).toEqual({ code: 0, signal: null });
    });
  });

  test('with invalid settings reports all of them', async () => {
    await withDirectory(async (directory) => {
      const kontor = new KontorProcess(directory, { PORT: 'abc', LOG_LEVEL: 'loud', OPERATOR_EMAIL: 'o@kontor.test' });
      expect(await kontor.exit).toEqual({ code: 1, signal: null });
      for (const name of ['PORT', 'LOG_LEVEL', 'OPERATOR_PASSWORD']) expect(kontor.stderr).toContain(name);
      expect(kontor.stderr).not.toContain('    at ');
    });
  });

  test('because its data directory cannot be created names the directory, even in /proc', async () => {
    await withDirectory(async (directory) => {
      for (const below of ['', '/data']) {
        const kontor = new KontorProcess(directory, { ...PLAIN, DATA_DIR: `/proc/nope${below}` });
        expect([await kontor.exit, kontor.stderr]).toEqual([
          { code: 1, signal: null },
          expect.stringMatching(/^DATA_DIR \/proc\/nope\S* is not writable: .+\.\n$/),
        ]);
      }
    });
  });

  test('because the port is in use, or the host unknown, names the settings', async () => {
    await withDirectory(async (directory) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      for (const [settings, reason] of [
        [{ PORT: String(port) }, `HOST 127.0.0.1, PORT ${port}: another process uses the port.\n`],
        [{ HOST: 'nowhere.invalid' }, 'HOST nowhere.invalid, PORT 0: the host name is unknown.\n'],
      ] as const) {
        const kontor = new KontorProcess(directory, { ...PLAIN, ...settings });
        expect([await kontor.exit, kontor.stderr]).toEqual([{ code: 1, signal: null }, reason]);
      }
      other.close();
    });
  });

  test('with invalid keys lists them without their values, before it waits for a server', async () => {
    await withDirectory(async (directory) => {
      const vapid = { VAPID_PUBLIC_KEY: 'secret-public', VAPID_PRIVATE_KEY: 'secret-private' };
      const keys = { ...vapid, JWT_SIGNING_KEY: 'secret-signing', WEB_PUSH_CA_FILE: join(directory, 'nothing.pem') };
      const kontor = new KontorProcess(directory, { ...keys, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' });
      expect(await kontor.exit).toEqual({ code: 1, signal: null });
      for (const name of Object.keys(keys)) expect(kontor.stderr).toContain(name);
      expect(kontor.stderr).not.toMatch(/secret|    at /);
    });
  });

  test('with a damaged key file reports the file, and keeps it', async () => {
    await withDirectory(async (directory) => {
      const path = join(directory, 'signing-key.json');
      await writeFile(path, 'half a secr');
      // The threads are opening their tables when the start fails. The test runs several times, because their progress
      // varies.
      for (let start = 0; start < 3; start += 1) {
        const kontor = new KontorProcess(directory, PLAIN);
        expect(await kontor.exit).toEqual({ code: 1, signal: null });
        expect(kontor.stderr).toBe(
          `${path} contains no Ed25519 signing key. Restore it, or remove it to generate a new one.\n`,
        );
        expect(await readFile(path, 'utf8')).toBe('half a secr');
      }
    });
  });

  test('because it was stopped exits at any stage', async () => {
    const readyMs = await withDirectory(async (directory) => {
      const beganAtMs = performance.now();
      const kontor = await KontorProcess.ready(directory, PLAIN);
      const tookMs = performance.now() - beganAtMs;
      await kontor.stop();
      return tookMs;
    });
    let handled = 0;
    // Covers the time from when Node.js has loaded the service until just before the service is ready.
    for (let step = 0; step < 12; step += 1) {
      await withDirectory(async (directory) => {
        const kontor = new KontorProcess(directory, PLAIN);
        await sleep(readyMs * (0.37 + step * 0.055));
        const exit = await kontor.stop();
        expect(kontor.stderr).toBe('');
        // The signal ended Node.js itself, before the service was loaded.
        if (exit.signal === 'SIGTERM') return;
        expect(exit).toEqual({ code: 0, signal: null });
        handled += 1;
      });
    }
    expect(handled).toBeGreaterThan(0);
  });
});

test('A service whose log is not read still stops in time', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, { ...PLAIN, LOG_LEVEL: 'info' });
    const url = await kontor.url();
    kontor.stopReading();
    const path = `${url}/api/${'x'.repeat(1_000)}`;
    for (let round = 0; round < 60; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => fetch(path).then((response) => response.text())));
    kontor.send('SIGTERM');
    await until(
      () => Promise.resolve(kontor.hasExited),
      (hasExited) => hasExited,
    );
  });
});

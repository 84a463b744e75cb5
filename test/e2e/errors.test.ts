import { call, KontorProcess, openBooks, PLAIN, until, withDirectory } from './kontor-process.js';

type Line = { readonly id: string; readonly message: string; readonly count: number };

/** A URL where no server is listening. */
const NOWHERE = 'nats://shop:hunter2-hunter2@127.0.0.1:1';
const UNREACHED = 'NATS: NATS_URL: cannot connect';
/** Message of the forwarder error, which occurs in the worker thread. */
const RETRIED = 'integration-events: retrying an event';

test('Errors of the worker thread are in the error log, and keep counting after a restart', async () => {
  await withDirectory(async (directory) => {
    const settings = { ...PLAIN, NATS_URL: NOWHERE };
    const first = await KontorProcess.ready(directory, settings);
    const { operator: token } = await openBooks(await first.url());
    const warnings = async (kontor: KontorProcess): Promise<readonly Line[]> => {
      const path = '/api/platform/error-logs?level=WARN&pageSize=100';
      return (await call<{ items: readonly Line[] }>(`${await kontor.url()}${path}`, { token })).items;
    };
    const oneOf = (lines: readonly Line[], message: string): Line | undefined =>
      lines.find((line) => line.message.startsWith(message));
    // Each of the two threads has a separate NATS connection, and logs once that the connection has failed.
    const before = await until(
      () => warnings(first),
      (lines) => oneOf(lines, UNREACHED)?.count === 2 && oneOf(lines, RETRIED) !== undefined,
    );
    await first.stopCleanly();

    const second = await KontorProcess.ready(directory, { ...settings, SUBSCRIBERS: 'inline' });
    const after = await until(
      () => warnings(second),
      (lines) => oneOf(lines, UNREACHED)?.count === 3,
    );
    expect(oneOf(after, UNREACHED)?.id).toBe(oneOf(before, UNREACHED)?.id);
    expect(JSON.stringify([before, after])).not.toContain('hunter2');
    await second.stopCleanly();
  });
});

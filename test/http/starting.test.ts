import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.js';
import { openEngines } from '../../src/app/open-engines.js';
import type { NotedError } from '../../src/observability/counted-error.js';
import { createService } from '../../src/app/service.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { freePort } from '../support/server-process.js';

const silent = () => undefined;

test('A service with an unavailable engine is live, reports it, rejects other requests, and serves once it is available', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-starting-'));
  const port = await freePort();
  const config = readConfig({ DATA_DIR: directory, PORT: String(port), NODE_ENV: 'test', SUBSCRIBERS: 'inline' });
  const errors: string[] = [];
  const error = (_: object, message: string) => errors.push(message);
  const opened = await openEngines(config, { logger: { info: silent, warn: silent, error } });
  const events = new FaultyEventStore(opened.events);
  const fault = { setting: 'EVENTSTORE_URL', reason: 'the server refuses the password' };
  const engines = {
    ...opened,
    events: Object.assign(events, { fault: () => (events.away ? fault : undefined) }),
  };
  const noted: NotedError[] = [];
  // Collects the errors that requests report. Errors that the service logs are in `errors`.
  Object.assign(engines.errors, { note: (one: NotedError) => noted.push(one) });
  events.away = true;
  const starting = createService(config, engines, { early: true });
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  try {
    await eventually(
      () =>
        ask('/livez').then(
          ({ status }) => status === 200,
          () => false,
        ),
      10_000,
    );
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('"reason":"EVENTSTORE_URL: the server refuses the password"');
    for (const path of ['/api/branches', '/console', '/openapi.json', '/nowhere']) {
      const { status, text } = await ask(path);
      expect([path, status, (JSON.parse(text) as { code?: string }).code]).toEqual([path, 503, 'UNAVAILABLE']);
    }
    expect([errors, noted.filter(({ level }) => level === 'ERROR')]).toEqual([[], []]);
    events.away = false;
    const service = await starting;
    expect((await ask('/readyz')).status).toBe(503);
    await service.listen();
    await eventually(async () => (await ask('/readyz')).status === 200, 10_000);
    expect((await ask('/openapi.json')).status).toBe(200);
  } finally {
    events.away = false;
    await (await starting).close();
    await rm(directory, { recursive: true, force: true });
  }
});

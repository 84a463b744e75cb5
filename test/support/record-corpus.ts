// Records a history as this version of the service stores it. Recordings must never be replaced. See corpus.ts.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EverythingElse } from './all-events.js';
import { booksOf, CORPUS, eventsOf } from './corpus.js';
import { writeHistory } from './history.js';
import { PushService } from './push-service.js';
import { TestService } from './service.js';

const number = Number(process.argv[2]);
const path = join(CORPUS, `history-${number}.jsonl`);
if (!Number.isSafeInteger(number) || number < 1) throw new Error('Say the number of the recording.');
if (existsSync(path)) throw new Error(`${path} is there already, and stays as it is.`);

const directory = await mkdtemp(join(tmpdir(), 'kontor-recording-'));
const pushes = await PushService.start();
const certificate = join(directory, 'ca.pem');
await writeFile(certificate, pushes.ca);
const service = await TestService.start({
  environment: {
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    WEB_PUSH_CA_FILE: certificate,
    VAPID_SUBJECT: 'mailto:me@kontor.test',
    INTEGRITY_CHECKPOINT_SECONDS: '1',
    JOB_SCHEDULES: 'off; session-cleanup=0 3 1 1 *',
  },
});
try {
  const books = await service.openBooks({ timeZone: 'Europe/Istanbul' });
  await writeHistory(service, books, { seed: number, sales: 24 });
  const browsers = { refusing: pushes.browser({ status: 400 }), working: pushes.browser() };
  await new EverythingElse(service, books, browsers).write();
  const { email, token } = books.tenant;
  const lines = [{ email, books: await booksOf(service, token) }, ...(await eventsOf(service.service.engines.events))];
  mkdirSync(CORPUS, { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
} finally {
  await service.close();
  await pushes.close();
  await rm(directory, { recursive: true });
}

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { backupOf } from '../support/backups.js';
import { onLinux } from '../support/on-linux.js';
import { TestService } from '../support/service.js';

let service: TestService;
let token: string;
const execution = randomUUID();
beforeAll(async () => {
  service = await TestService.start();
  await service.openBooks();
  token = await service.operator();
  await backupOf(service.service.engines.events, folder(), execution);
});
afterAll(() => service.close());

const folder = (): string => join(service.directory, 'backups');
const pathOf = (id: string): string => `/api/platform/jobs/execution/${id}/backup-download`;
const fetched = async (id: string): Promise<Response> =>
  fetch(`${await service.service.app.getUrl()}${pathOf(id)}`, { headers: { authorization: `Bearer ${token}` } });

test('An operator downloads the file of a run with its name, size and digest', async () => {
  const answer = await fetched(execution);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest('base64');
  const [fileName] = (await readdir(folder())).filter((name) => name.endsWith('.gz'));
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${fileName ?? ''}"`,
    'content-length': String(bytes.length),
    digest: `sha-256=${digest}`,
    'repr-digest': `sha-256=:${digest}:`,
  });
  expect(answer.headers.has('content-encoding')).toBe(false);
});

test('The id can be written in any case', async () => {
  expect((await fetched(execution.toUpperCase())).status).toBe(200);
});

test('Only retained backups are found', async () => {
  const others = [
    randomUUID(),
    'not-an-id',
    '..',
    '%2e%2e%2f%2e%2e%2fhistory.sqlite',
    encodeURIComponent('../history.sqlite'),
    `${execution}.sha256`,
  ];
  for (const id of others) {
    const answer = await fetched(id);
    expect([id, answer.status]).toEqual([id, 404]);
    expect(await answer.text()).toContain('NOT_FOUND');
  }
});

test('Incomplete files, files without a digest and files with similar names are not found', async () => {
  const [half, bare, odd, linked] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const name = (id: string): string => join(folder(), `kontor-20260101T000000Z-${id}.ndjson.gz`);
  await writeFile(`${name(half)}.partial`, 'half');
  await writeFile(name(bare), 'without its digest');
  await writeFile(name(odd), 'with something else');
  await writeFile(`${name(odd)}.sha256`, 'no digest');
  const secret = join(service.directory, 'signing-key.json');
  await symlink(secret, name(linked));
  await writeFile(`${name(linked)}.sha256`, `${'0'.repeat(64)}  x\n`);
  await mkdir(name(randomUUID()));
  for (const id of [half, bare, odd, linked]) expect([id, (await fetched(id)).status]).toEqual([id, 404]);
});

test('A backup removed during a download is sent completely', async () => {
  const id = randomUUID();
  const path = await backupOf(service.service.engines.events, folder(), id);
  const answer = await fetched(id);
  await rm(path);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBe(Number(answer.headers.get('content-length')));
  expect((await fetched(id)).status).toBe(404);
});

test('The download is forbidden to tenants and requires a credential', async () => {
  const tenant = await service.createTenant();
  expect((await service.get(pathOf(execution), tenant.token)).status).toBe(403);
  expect((await service.get(pathOf(execution))).status).toBe(401);
});

describe('A large backup', () => {
  const SIZE = 300 * 1024 * 1024;
  const id = randomUUID();
  let path: string;
  beforeAll(async () => {
    path = join(folder(), `kontor-20260102T000000Z-${id}.ndjson.gz`);
    const file = await open(path, 'wx');
    await file.truncate(SIZE);
    await file.close();
    await writeFile(`${path}.sha256`, `${'0'.repeat(64)}  x\n`);
  });

  async function begin(): Promise<IncomingMessage> {
    const url = `${await service.service.app.getUrl()}${pathOf(id)}`;
    return new Promise((resolve, reject) => {
      get(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve).on('error', reject);
    });
  }
  /** Whether this process, which runs the service, has the file open. */
  const isOpen = async (): Promise<boolean> => {
    const numbers = await readdir('/proc/self/fd');
    const targets = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
    return targets.includes(path);
  };
  const closes = async (): Promise<boolean> => {
    for (let n = 0; n < 200 && (await isOpen()); n += 1) await delay(20);
    return !(await isOpen());
  };

  onLinux('that is read slowly costs no memory, and its file is closed when the client goes away', async () => {
    const before = process.memoryUsage().rss;
    const slow = await Promise.all([begin(), begin(), begin()]);
    for (const one of slow) one.pause();
    await delay(500);
    expect(await isOpen()).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    for (const one of slow) one.destroy();
    expect(await closes()).toBe(true);
  });

  onLinux('that is read to its end leaves no file open', async () => {
    let received = 0;
    const answer = await begin();
    for await (const chunk of answer as AsyncIterable<Buffer>) received += chunk.length;
    expect(received).toBe(SIZE);
    expect(await closes()).toBe(true);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});

describe('A part of a backup', () => {
  const part = async (headers: Record<string, string>) =>
    fetch(`${await service.service.app.getUrl()}${pathOf(execution)}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  let whole: Buffer;
  let etag: string;
  beforeAll(async () => {
    const answer = await part({});
    whole = Buffer.from(await answer.arrayBuffer());
    etag = answer.headers.get('etag') ?? '';
  });

  test.each([
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, undefined],
    ['bytes=-50', -50, undefined],
    ['bytes=5-999999999', 5, undefined],
  ])('is sent for %s', async (range, start, end) => {
    const answer = await part({ range, 'if-range': etag });
    expect(answer.status).toBe(206);
    const expected = whole.subarray(start, end === undefined ? whole.length : end + 1);
    expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
    expect(answer.headers.get('content-length')).toBe(String(expected.length));
    const first = start < 0 ? whole.length + start : start;
    const last = first + expected.length - 1;
    expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${whole.length}`);
  });

  test.each([
    { range: 'bytes=0-1,4-5' },
    { range: 'lines=1-2' },
    { range: 'bytes=9-1' },
    { range: 'bytes=0-9', 'if-range': '"x"' },
  ])('is the whole file for %j', async (headers) => {
    const answer = await part(headers);
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(whole)]).toEqual([200, true]);
  });

  test('does not exist beyond the end', async () => {
    const answer = await part({ range: `bytes=${whole.length}-` });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
    expect(await answer.text()).toBe('');
  });
});

import { randomUUID } from 'node:crypto';
import { TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { jobOf } from '../support/toy-job.js';

const DAY_MS = 24 * 3_600_000;
type Warning = { readonly title: string; readonly body: string; readonly link: string };

let clock: ShiftedClock;
let service: TestService;
let books: Books;
beforeEach(async () => {
  clock = new ShiftedClock();
  service = await TestService.start({ clock });
  books = await service.openBooks();
});
afterEach(() => service.close());

async function warn(signal = new AbortController().signal): Promise<string> {
  await service.quiet();
  const run = { executionId: randomUUID(), parameters: {}, signal, checkpoint: undefined };
  const unused = { report: () => undefined, save: () => Promise.resolve() };
  const { message } = await jobOf(service, 'key-expiry').run({ ...run, ...unused });
  await service.quiet();
  return message;
}
/** Signs in again, because access tokens expire when the clock advances. */
async function warnings(): Promise<readonly Warning[]> {
  const token = await service.signIn(books.tenant.email);
  const page = (await service.get('/api/notifications', token)).body as { items: (Warning & { type: string })[] };
  return page.items.filter(({ type }) => type === 'WARNING');
}
const createKey = async (name: string, expiresInDays: number | null): Promise<string> => {
  const expiresAt = expiresInDays === null ? null : new Date(clock.nowMs() + expiresInDays * DAY_MS).toISOString();
  const body = { name, sourceId: name, expiresAt };
  const reply = await service.post('/api/integration-keys', body, books.tenant.token);
  if (reply.status !== 201) throw new Error(reply.told);
  return (reply.data as { id: string }).id;
};

describe('The warning before a partner key expires', () => {
  test('is sent two weeks and two days ahead, each once', async () => {
    await createKey('lasting', null);
    await createKey('distant', 60);
    await createKey('webshop', 15);
    expect(await warn()).toBe('0 warnings sent.');
    clock.pass(DAY_MS + 60_000);
    expect([await warn(), await warn()]).toEqual(['1 warning sent.', '0 warnings sent.']);
    expect(await warnings()).toEqual([
      expect.objectContaining({ title: 'The partner key "webshop" expires soon', link: '/console/partner-keys' }),
    ]);
    clock.pass(11 * DAY_MS);
    expect(await warn()).toBe('0 warnings sent.');
    clock.pass(DAY_MS);
    expect([await warn(), await warn()]).toEqual(['1 warning sent.', '0 warnings sent.']);
    clock.pass(2 * DAY_MS);
    expect(await warn()).toBe('0 warnings sent.');
    expect(await warnings()).toHaveLength(2);
  });

  test('is not sent for a revoked key, and is sent again for a new expiry', async () => {
    const revoked = await createKey('revoked', 5);
    await service.call('DELETE', `/api/integration-keys/${revoked}`, { token: books.tenant.token });
    const kept = await createKey('kept', 5);
    expect(await warn()).toBe('1 warning sent.');
    const expiresAt = new Date(clock.nowMs() + 6 * DAY_MS).toISOString();
    const path = `/api/platform/integration-keys/${kept}`;
    await service.call('PATCH', path, { token: await service.operator(), body: { expiresAt } });
    expect(await warn()).toBe('1 warning sent.');
    const told = await warnings();
    expect(told.map(({ title }) => title)).toEqual(Array(2).fill('The partner key "kept" expires soon'));
    expect(told[0]?.body).toContain(`From ${expiresAt} on, requests from kept with this key are rejected.`);
  });

  test('reaches the administrators of the key’s tenant only', async () => {
    const other = await service.createTenant();
    await createKey('mine', 1);
    expect(await warn()).toBe('1 warning sent.');
    expect(await warnings()).toHaveLength(1);
    expect((await service.get('/api/notifications', other.token)).body).toMatchObject({ items: [] });
  });

  test('stops when aborted, and the next run sends it', async () => {
    await createKey('late', 1);
    await expect(warn(AbortSignal.abort(new Error('told to end')))).rejects.toThrow('told to end');
    expect(await warn()).toBe('1 warning sent.');
  });
});

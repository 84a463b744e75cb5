import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { fieldHashes as hashesOf, idempotencyKeyId } from '../../src/aggregates/request-key.aggregate.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

const HOUR_MS = 3_600_000;

const clock = new ShiftedClock();
let service: TestService;
let books: Books;
let partner: TestKey;
beforeAll(async () => {
  service = await TestService.start({ clock });
  books = await service.openBooks();
  ({ partner } = books);
});
afterAll(() => service.close());

const post = (sale: object, key?: string): Promise<Reply> => service.postSale(partner, sale, key);
const postRaw = (raw: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.call('POST', '/api/integrations/v1/sales', { key: partner.key, raw, headers });
const salesOf = async (externalId: string): Promise<number> => {
  const events = await service.service.engines.events.readAll({ filter: { on: 'type', prefixes: ['SaleAccepted'] } });
  return events.filter(({ data }) => (data as { externalId: string }).externalId === externalId).length;
};

/** Returns a response's status, and whether the response is marked as a replay. */
const outcome = ({ status, headers }: Reply): string =>
  `${status}${headers['idempotent-replayed'] === 'true' ? ' replayed' : ''}`;

describe('An accepted sale', () => {
  test('gets 202 once, and later 200 with the same bytes', async () => {
    const key = randomUUID();
    const first = await post(saleOf('first'), key);
    expect(outcome(first)).toBe('202');
    const { acceptedAt } = first.body as { acceptedAt: string };
    expect(first.body).toEqual({
      saleId: saleId(books.tenant.id, 'shop', 'first'),
      externalId: 'first',
      sourceId: 'shop',
      status: 'ACCEPTED',
      acceptedAt,
    });
    expect(acceptedAt).toBe(new Date(acceptedAt).toISOString());
    expect(Number(first.headers['x-event-position'])).toBeGreaterThan(0);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await post(saleOf('first'), key);
      expect(outcome(again)).toBe('200 replayed');
      expect(again.text).toBe(first.text);
    }
    await service.settled(partner, 'first');
    expect((await post(saleOf('first'), key)).text).toBe(first.text);
  });

  test('has an id derived from the tenant, the source and the external id alone', async () => {
    const first = (await post(saleOf('derived'))).body as { saleId: string };
    const other = await service.createKey(books.tenant, { sourceId: 'other-shop' });
    const elsewhere = (await service.postSale(other, saleOf('derived'))).body as { saleId: string };
    expect(elsewhere.saleId).not.toBe(first.saleId);
    const sameSource = await service.createKey(books.tenant, { sourceId: 'shop' });
    const again = await service.postSale(sameSource, saleOf('derived'));
    expect(outcome(again)).toBe('200 replayed');
    expect((again.body as { saleId: string }).saleId).toBe(first.saleId);
  });
});

describe('Idempotency', () => {
  test('no key, new pair: 202', async () => {
    expect(outcome(await post(saleOf('row-1')))).toBe('202');
  });

  test('no key, known pair, any payload: 200 with the original', async () => {
    const first = await post(saleOf('row-2'));
    const changed = await post(saleOf('row-2', { lines: [{ description: 'Other', quantity: 9, unitPrice: 1 }] }));
    expect(outcome(changed)).toBe('200 replayed');
    expect(changed.text).toBe(first.text);
    expect(await salesOf('row-2')).toBe(1);
  });

  test('new key, known pair, any payload: 200 with the original, and the key is bound to this payload', async () => {
    const first = await post(saleOf('row-3'), 'row-3-a');
    const other = saleOf('row-3', { metadata: { note: 'corrected' } });
    const second = await post(other, 'row-3-b');
    expect(outcome(second)).toBe('200 replayed');
    expect(second.text).toBe(first.text);
    expect(outcome(await post(other, 'row-3-b'))).toBe('200 replayed');
    expect((await post(saleOf('row-3'), 'row-3-b')).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
    expect((await post(other, 'row-3-a')).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
  });

  test('new key, new pair: 202', async () => {
    expect(outcome(await post(saleOf('row-4'), 'row-4'))).toBe('202');
  });

  test('known key, same payload: 200', async () => {
    await post(saleOf('row-5'), 'row-5');
    expect(outcome(await post(saleOf('row-5'), 'row-5'))).toBe('200 replayed');
  });

  test('known key, same payload, but the sale was lost in a crash: the retry gets 202', async () => {
    const { events } = service.service.engines;
    await post(saleOf('row-6'), 'row-6');
    const [claim] = (await events.readAll({ filter: { on: 'type', prefixes: ['IdempotencyKeyClaimed'] } })).slice(-1);
    if (!claim) throw new Error('There is no claim.');
    // Simulates a crash after the idempotency key was claimed and before the sale was stored.
    const { sourceId, fieldHashes, ...times } = claim.data as Record<string, unknown>;
    const lost = saleOf('row-6-lost');
    expect(fieldHashes).toEqual(hashesOf(saleOf('row-6')));
    const id = saleId(books.tenant.id, 'shop', 'row-6-lost');
    await events.append({
      stream: `idempotency-key-${books.tenant.id}_${idempotencyKeyId('shop', 'row-6-lost')}`,
      expected: 'no_stream',
      events: [
        {
          id: randomUUID(),
          type: 'IdempotencyKeyClaimed',
          data: { ...times, sourceId, saleId: id, externalId: 'row-6-lost', fieldHashes: hashesOf(lost) },
          metadata: claim.metadata,
        },
      ],
    });
    expect((await post({ ...lost, total: '100.00' }, 'row-6-lost')).told).toBe('409 IDEMPOTENCY_CONFLICT total');
    expect(outcome(await post(lost, 'row-6-lost'))).toBe('202');
    expect(outcome(await post(lost, 'row-6-lost'))).toBe('200 replayed');
  });

  test('known key, other payload: 409 that lists the fields without values', async () => {
    await post(saleOf('row-7', { metadata: { secret: 'tango' } }), 'row-7');
    const changed = saleOf('row-8', {
      payments: [{ method: 'CASH', amount: '100.00' }],
      metadata: { secret: 'foxtrot' },
    });
    const reply = await post(changed, 'row-7');
    expect(reply.told).toBe('409 IDEMPOTENCY_CONFLICT externalId metadata payments');
    expect(reply.text).not.toMatch(/tango|foxtrot|row-7|row-8/);
    expect(reply.problem).toMatchObject({ requestId: reply.headers['x-request-id'] });
    expect(await salesOf('row-8')).toBe(0);
  });

  test('a key rejected with 400 or 409 is not bound', async () => {
    expect((await post({ ...saleOf('row-9'), total: '1.00' }, 'row-9')).told).toBe('400 TOTAL_MISMATCH total');
    expect((await post(saleOf('row-9', { lines: [] }), 'row-9')).told).toBe('400 VALIDATION_FAILED lines');
    expect(outcome(await post(saleOf('row-9'), 'row-9'))).toBe('202');
  });

  test('an invalid body gets 400 even with a known key', async () => {
    await post(saleOf('row-10'), 'row-10');
    expect((await post({ ...saleOf('row-10'), lines: 'none' }, 'row-10')).told).toBe('400 VALIDATION_FAILED lines');
    expect((await post({ ...saleOf('row-10'), total: '5.00' }, 'row-10')).told).toBe('400 TOTAL_MISMATCH total');
  });

  test('keys of two sources are separate', async () => {
    const other = await service.createKey(books.tenant, { sourceId: 'apart' });
    await post(saleOf('row-11'), 'row-11');
    expect(outcome(await service.postSale(other, saleOf('row-12'), 'row-11'))).toBe('202');
  });

  test('keys and pairs of two tenants are separate, even with equal source names', async () => {
    const stranger = await service.openBooks();
    const first = await post(saleOf('row-15'), 'row-15');
    const other = await service.postSale(stranger.partner, saleOf('row-15', { metadata: { other: true } }), 'row-15');
    expect(outcome(other)).toBe('202');
    expect((other.body as { saleId: string }).saleId).not.toBe((first.body as { saleId: string }).saleId);
  });

  test('a key rejected with 401, 413 or 415 is not bound', async () => {
    const sale = JSON.stringify(saleOf('row-16-refused'));
    const headers = { 'idempotency-key': 'row-16' };
    const stranger = await service.call('POST', '/api/integrations/v1/sales', { key: 'garbage', headers, raw: sale });
    const replies = [
      stranger,
      await postRaw(`${sale}${' '.repeat(1_048_576)}`, headers),
      await postRaw(sale, { ...headers, 'content-type': 'text/plain' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 413, 415]);
    expect(await salesOf('row-16-refused')).toBe(0);
    expect(outcome(await post(saleOf('row-16'), 'row-16'))).toBe('202');
  });

  test('keys are shared by two integration keys of one source', async () => {
    const second = await service.createKey(books.tenant, { sourceId: 'shop' });
    await post(saleOf('row-13'), 'row-13');
    expect(outcome(await service.postSale(second, saleOf('row-13'), 'row-13'))).toBe('200 replayed');
    expect((await service.postSale(second, saleOf('row-14'), 'row-13')).told).toBe(
      '409 IDEMPOTENCY_CONFLICT externalId',
    );
  });
});

describe('Payloads are equal', () => {
  test('with members in another order and other white space', async () => {
    const sale = saleOf('same-1', { customer: { name: 'Ada', code: 'A' }, metadata: { a: 1, b: [1, { c: 2, d: 3 }] } });
    await post(sale, 'same-1');
    const { customer: _, metadata: __, ...rest } = sale as typeof sale & { customer: object; metadata: object };
    const reordered = {
      metadata: { b: [1, { d: 3, c: 2 }], a: 1 },
      customer: { code: 'A', name: 'Ada' },
      ...Object.fromEntries(Object.entries(rest).reverse()),
    };
    const reply = await postRaw(JSON.stringify(reordered, undefined, '\t'), { 'idempotency-key': 'same-1' });
    expect(outcome(reply)).toBe('200 replayed');
  });

  test('with numbers and letters written differently', async () => {
    const line = (price: string) =>
      `{"externalId":"same-2","occurredAt":"2026-03-04T10:00:00Z","currency":"EUR",` +
      `"lines":[{"description":"G\u00fcl","quantity":1,"unitPrice":${price}}]}`;
    expect(outcome(await postRaw(line('10'), { 'idempotency-key': 'same-2' }))).toBe('202');
    for (const price of ['10.0', '10.000', '1e1', '1.0E+1'])
      expect(outcome(await postRaw(line(price), { 'idempotency-key': 'same-2' }))).toBe('200 replayed');
    const escaped = line('10').replace('\u00fc', '\\u00fc');
    expect(outcome(await postRaw(escaped, { 'idempotency-key': 'same-2' }))).toBe('200 replayed');
    expect((await postRaw(line('"10"'), { 'idempotency-key': 'same-2' })).told).toBe('409 IDEMPOTENCY_CONFLICT lines');
  });

  test.each([
    ['a default that is written out', { type: 'SALE' }, 'type'],
    ['a null for an omitted value', { branchCode: null }, 'branchCode'],
    [
      'another order of the lines',
      {
        lines: [
          { description: 'B', quantity: 1, unitPrice: 1 },
          { description: 'A', quantity: 1, unitPrice: 1 },
        ],
      },
      'lines',
    ],
    ['the same instant of another offset', { occurredAt: '2026-03-04T11:00:00.000+01:00' }, 'occurredAt'],
  ])('but not with %s', async (name, changes, field) => {
    const lines = [
      { description: 'A', quantity: 1, unitPrice: 1 },
      { description: 'B', quantity: 1, unitPrice: 1 },
    ];
    const sale = saleOf(`different ${name}`, { lines });
    await post(sale, `different-${field}`);
    expect((await post({ ...sale, ...changes }, `different-${field}`)).told).toBe(`409 IDEMPOTENCY_CONFLICT ${field}`);
  });
});

describe('Concurrently', () => {
  test.each([
    ['with the same key', 'at-once'],
    ['without a key', undefined],
  ])('fifty retries %s give one 202, one sale, and the same bytes for all', async (name, key) => {
    const externalId = `fifty ${name}`;
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(saleOf(externalId), key)));
    const outcomes = replies.map(outcome).sort();
    expect(outcomes).toEqual([...Array.from({ length: 49 }, () => '200 replayed'), '202']);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await salesOf(externalId)).toBe(1);
  });

  test('pairs of a new sale each give one 202', async () => {
    for (let pair = 0; pair < 10; pair += 1) {
      const key = pair % 2 === 0 ? `pair-${pair}` : undefined;
      const replies = await Promise.all([post(saleOf(`pair-${pair}`), key), post(saleOf(`pair-${pair}`), key)]);
      expect(replies.map(outcome).sort()).toEqual(['200 replayed', '202']);
      expect(replies[0].text).toBe(replies[1].text);
    }
  });

  test('of two payloads with one key, one is accepted and the other rejected completely', async () => {
    for (let pair = 0; pair < 10; pair += 1) {
      const names = [`left-${pair}`, `right-${pair}`] as const;
      const replies = await Promise.all(names.map((name) => post(saleOf(name), `duel-${pair}`)));
      expect(replies.map(({ told }) => told).sort()).toEqual(['202', '409 IDEMPOTENCY_CONFLICT externalId']);
      const loser = names[replies.findIndex(({ status }) => status === 409)] ?? '';
      expect(await salesOf(loser)).toBe(0);
      expect(await service.saleStatus(partner, loser)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
  });

  test('ten keys for one pair give one 202, and every key is bound to its payload', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => post(saleOf('ten', { metadata: { index } }), `ten-${index}`)),
    );
    expect(replies.map(outcome).sort()).toEqual([...Array.from({ length: 9 }, () => '200 replayed'), '202']);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await post(saleOf('ten', { metadata: { index: 1 } }), 'ten-0')).told).toBe(
      '409 IDEMPOTENCY_CONFLICT metadata',
    );
  });
});

describe('An Idempotency-Key', () => {
  test('can have 255 visible characters', async () => {
    expect(outcome(await post(saleOf('form-1'), `!~${'k'.repeat(253)}`))).toBe('202');
  });

  test.each([
    ['256 characters', 'k'.repeat(256)],
    ['no character', ''],
    ['a space', 'a b'],
    ['a letter with an accent', 'cl\u00e9'],
    ['a tab', 'a\tb'],
  ])('is rejected with %s', async (_, key) => {
    const sale = saleOf(service.fresh('form'));
    expect((await post(sale, key)).told).toBe('400 VALIDATION_FAILED Idempotency-Key');
    expect(await salesOf(sale.externalId)).toBe(0);
  });

  test('is case-sensitive', async () => {
    expect(outcome(await post(saleOf('form-2'), 'Case'))).toBe('202');
    expect(outcome(await post(saleOf('form-3'), 'case'))).toBe('202');
  });
});

describe('Over time', () => {
  test('a restart has no effect', async () => {
    const first = await post(saleOf('restarted', { metadata: { n: 1 } }), 'restarted');
    await service.restart();
    const again = await post(saleOf('restarted', { metadata: { n: 1 } }), 'restarted');
    expect(outcome(again)).toBe('200 replayed');
    expect(again.text).toBe(first.text);
    expect((await post(saleOf('restarted'), 'restarted')).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
    expect(outcome(await post(saleOf('restarted')))).toBe('200 replayed');
  });

  test('a key expires after 24 hours, the pair never', async () => {
    const first = await post(saleOf('aged'), 'aged');
    clock.pass(24 * HOUR_MS - 60_000);
    const changed = saleOf('aged', { metadata: { changed: true } });
    expect((await post(changed, 'aged')).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
    clock.pass(60_000);
    // A request with an expired key, but a known source and external id, receives the original response. The key is
    // then bound to the new payload.
    const replay = await post(changed, 'aged');
    expect(outcome(replay)).toBe('200 replayed');
    expect(replay.text).toBe(first.text);
    expect((await post(saleOf('aged'), 'aged')).told).toBe('409 IDEMPOTENCY_CONFLICT metadata');
    clock.pass(24 * HOUR_MS);
    // A request with an expired key and a new external id creates a sale.
    expect(outcome(await post(saleOf('aged-new'), 'aged'))).toBe('202');
    expect((await post(saleOf('aged'), 'aged')).told).toBe('409 IDEMPOTENCY_CONFLICT externalId');
    expect(outcome(await post(saleOf('aged')))).toBe('200 replayed');
  });

  test('an expired key reused concurrently is reused once', async () => {
    await post(saleOf('takeover-old'), 'takeover');
    clock.pass(25 * HOUR_MS);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => post(saleOf(`takeover-${index}`), 'takeover')),
    );
    const told = replies.map(({ told: text }) => text).sort();
    expect(told).toEqual(['202', ...Array.from({ length: 9 }, () => '409 IDEMPOTENCY_CONFLICT externalId')]);
  });
});

describe('The lookup of a key', () => {
  const KEYS = '/api/integrations/v1/idempotency-keys';
  const lookUp = (key: string, { key: credential } = partner): Promise<Reply> =>
    service.call('GET', `${KEYS}/${encodeURIComponent(key)}`, { key: credential });

  test('shows its use and its expiry', async () => {
    const before = clock.nowMs();
    const first = await post(saleOf('looked-up'), 'looked-up-key');
    const reply = await lookUp('looked-up-key');
    expect(reply.status).toBe(200);
    const { saleId: id, acceptedAt } = first.body as { saleId: string; acceptedAt: string };
    const { expiresAt } = reply.body as { expiresAt: string };
    expect(reply.body).toEqual({ state: 'ACCEPTED', saleId: id, externalId: 'looked-up', acceptedAt, expiresAt });
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 24 * HOUR_MS);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(clock.nowMs() + 24 * HOUR_MS);
    expect(reply.headers['idempotent-replayed']).toBeUndefined();
    expect(Number(reply.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    expect((await lookUp('looked-up-key')).text).toBe(reply.text);
  });

  test('shows the sale of the response, even if another key created it', async () => {
    const first = await post(saleOf('looked-up-2'), 'looked-up-2-a');
    const { acceptedAt } = first.body as { acceptedAt: string };
    clock.pass(60_000);
    await post(saleOf('looked-up-2', { metadata: { again: true } }), 'looked-up-2-b');
    const [a, b] = [await lookUp('looked-up-2-a'), await lookUp('looked-up-2-b')].map(
      ({ body }) => body as Record<string, string>,
    );
    expect([a?.['acceptedAt'], b?.['acceptedAt']]).toEqual([acceptedAt, acceptedAt]);
    expect(Date.parse(b?.['expiresAt'] ?? '') - Date.parse(a?.['expiresAt'] ?? '')).toBeGreaterThanOrEqual(60_000);
  });

  test('shows that a key has expired, until it is reused', async () => {
    await post(saleOf('looked-up-3'), 'looked-up-3');
    clock.pass(24 * HOUR_MS - 10_000);
    expect((await lookUp('looked-up-3')).body).toMatchObject({ state: 'ACCEPTED', externalId: 'looked-up-3' });
    clock.pass(10_000);
    expect((await lookUp('looked-up-3')).body).toMatchObject({ state: 'EXPIRED', externalId: 'looked-up-3' });
    await post(saleOf('looked-up-4'), 'looked-up-3');
    expect((await lookUp('looked-up-3')).body).toMatchObject({ state: 'ACCEPTED', externalId: 'looked-up-4' });
  });

  test('finds nothing if nothing was accepted', async () => {
    expect((await lookUp('never-used')).told).toBe('404 NOT_FOUND');
    await post({ ...saleOf('looked-up-5'), total: '1.00' }, 'refused-key');
    expect((await lookUp('refused-key')).told).toBe('404 NOT_FOUND');
    // Simulates a crash after the idempotency key was claimed and before the sale was stored.
    const { events } = service.service.engines;
    const [claim] = (await events.readAll({ filter: { on: 'type', prefixes: ['IdempotencyKeyClaimed'] } })).slice(-1);
    if (!claim) throw new Error('There is no claim.');
    const data = { ...claim.data, saleId: saleId(books.tenant.id, 'shop', 'half'), externalId: 'half' };
    await events.append({
      stream: `idempotency-key-${books.tenant.id}_${idempotencyKeyId('shop', 'half')}`,
      expected: 'no_stream',
      events: [{ id: randomUUID(), type: 'IdempotencyKeyClaimed', data, metadata: claim.metadata }],
    });
    expect((await lookUp('half')).told).toBe('404 NOT_FOUND');
  });

  test("finds only keys of the partner's source, with any of its integration keys", async () => {
    await post(saleOf('looked-up-6'), 'own-key');
    const stranger = await service.openBooks();
    const tenant = { ...books.tenant, token: await service.signIn(books.tenant.email) };
    const others = [
      await service.createKey(tenant, { sourceId: 'another-shop' }),
      await service.createKey(stranger.tenant, { sourceId: 'shop' }),
    ];
    for (const other of others) expect((await lookUp('own-key', other)).told).toBe('404 NOT_FOUND');
    const second = await service.createKey(tenant, { sourceId: 'shop' });
    expect((await lookUp('own-key', second)).status).toBe(200);
  });

  test.each([
    ['256 characters', 'k'.repeat(256)],
    ['a space', 'a b'],
    ['a letter with an accent', 'cl\u00e9'],
    ['a line break', 'a\nb'],
    ['a NUL', 'a\0'],
  ])('finds nothing for keys that the header rejects: %s', async (_, key) => {
    const reply = await service.call('GET', `${KEYS}/${encodeURIComponent(key)}`, {
      key: partner.key,
      headers: { 'x-request-id': 'mine' },
    });
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String) as string, requestId: 'mine' },
    });
    expect(reply.headers['x-ratelimit-limit']).toBe('1000000');
  });

  test('requires an integration key, and takes no query', async () => {
    const reply = await service.call('GET', `${KEYS}/any`);
    expect(reply.told).toBe('401 INVALID_KEY');
    expect(reply.headers['x-ratelimit-limit']).toBe('60');
    expect((await service.call('GET', `${KEYS}/any?key=any`, { key: partner.key })).told).toBe(
      '400 VALIDATION_FAILED key',
    );
  });

  test('finds every valid key, percent-encoded', async () => {
    const visible = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    const keys = [
      visible,
      'k'.repeat(255),
      'a/b',
      '/',
      '?',
      '#',
      '%',
      '%2F',
      '%252F',
      ';',
      'a;b',
      '+',
      '&=',
      '...',
      '~',
    ];
    for (const [index, key] of keys.entries()) {
      await post(saleOf(`visible-${index}`), key);
      expect([key, (await lookUp(key)).body]).toEqual([
        key,
        expect.objectContaining({ externalId: `visible-${index}` }),
      ]);
    }
  });
});

/*
 * "." and ".." are dot segments in a path (RFC 3986), even if encoded as %2E. A client that builds a URL from such an
 * id removes the segment before sending the request. A client that sends the path unchanged gets the correct response.
 */
describe('Dot segments', () => {
  const asItIs = async (path: string): Promise<string> => {
    const address = new URL(await service.service.app.getUrl());
    const headers = { 'x-integration-key': partner.key };
    return new Promise((resolve, reject) => {
      const sent = request({ host: address.hostname, port: address.port, path, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          const { externalId } = JSON.parse(text) as { externalId?: string };
          resolve(`${answer.statusCode ?? 0} ${externalId ?? ''}`);
        });
      });
      sent.on('error', reject).end();
    });
  };

  test.each([
    ['.', ['.', '%2E', '%2e']],
    ['..', ['..', '%2E%2E', '%2e%2e', '.%2E']],
  ])('%s is a valid external id and key', async (name, writings) => {
    expect(outcome(await post(saleOf(name), name))).toBe('202');
    for (const written of writings) {
      expect([written, await asItIs(`/api/integrations/v1/sales/${written}`)]).toEqual([written, `200 ${name}`]);
      expect([written, await asItIs(`/api/integrations/v1/idempotency-keys/${written}`)]).toEqual([
        written,
        `200 ${name}`,
      ]);
    }
  });

  test('The document explains how clients send them', () => {
    const { paths } = JSON.parse(service.service.openApi()) as {
      paths: Record<string, { get: { description: string } }>;
    };
    for (const path of ['sales/{externalId}', 'idempotency-keys/{key}'])
      expect(paths[`/api/integrations/v1/${path}`]?.get.description).toContain('--path-as-is');
  });
});

test('Every accepted sale is booked, and none of this logs a warning', async () => {
  const { events } = service.service.engines;
  const accepted = await events.readAll({ filter: { on: 'type', prefixes: ['SaleAccepted'] } });
  for (const { data } of accepted) {
    const { externalId, sourceId } = data as { externalId: string; sourceId: string };
    // `settled` cannot send `.` or `..` as part of a path.
    if (sourceId === 'shop' && externalId !== '.' && externalId !== '..')
      expect(await service.settled(partner, externalId)).toMatchObject({ status: 'BOOKED' });
  }
  const { totalDebit, totalCredit } = await service.trialBalance(await service.signIn(books.tenant.email));
  expect(totalDebit).toBe(totalCredit);
  expect(service.complaints).toEqual([]);
});

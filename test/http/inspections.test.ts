import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from '../../src/queries/query.js';
import type { AuditLogDetail, AuditLogRecord } from '../../src/queries/audit-log.queries.js';
import { EventStoreUnavailable, type EventStore } from '../../src/ports/event-store.js';
import { backupOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const PATIENCE_MS = 15_000;

let service: TestService;
let books: Books;
let operator: string;
let branchId: string;
/** While true, appends that record operators' inspections fail. */
let isAway = false;

/** Returns a store that rejects appends of inspections while `isAway` is true. */
const withoutInspections = (events: EventStore): EventStore =>
  new Proxy(events, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      return (...args: unknown[]): unknown => {
        if (name === 'append' && isAway && JSON.stringify(args[0]).includes('inspection-'))
          return Promise.reject(new EventStoreUnavailable('away'));
        return Reflect.apply(own, target, args);
      };
    },
  });

beforeAll(async () => {
  service = await TestService.start({
    between: (engines) => ({ ...engines, events: withoutInspections(engines.events) }),
  });
  books = await service.openBooks();
  operator = await service.operator();
  ({ id: branchId } = await service.post('/api/branches', { name: 'Harbour', code: 'HARBOUR' }, books.tenant.token));
});
afterAll(() => service.close());

const entriesOf = async (type: string): Promise<AuditLogRecord[]> => {
  await service.quiet();
  const { items } = (await service.get('/api/platform/audit-logs?pageSize=100&action=OTHER', operator))
    .body as Page<AuditLogRecord>;
  return items.filter(({ eventType }) => eventType === type);
};
const streamOf = (what: string, id = branchId): string =>
  `/api/platform/streams/branch/${id}/${what}?tenantId=${books.tenant.id}`;

describe("An operator's inspection of a history", () => {
  test.each(['events', 'state'])('is recorded by one audit entry on the record: its %s', async (what) => {
    const before = (await entriesOf('HistoryRead')).length;
    const revision = (await service.get(`/api/branches/${branchId}`, books.tenant.token)).headers['etag'];
    expect((await service.get(streamOf(what), operator, { 'x-request-id': `reads-${what}` })).status).toBe(200);
    const [entry, ...others] = await entriesOf('HistoryRead');
    expect(others.length).toBe(before);
    expect(entry).toMatchObject({
      action: 'OTHER',
      entity: 'branch',
      entityId: branchId,
      tenantId: 'platform',
      summary: `History "branch, ${what}" read`,
      requestId: `reads-${what}`,
      ipAddress: '127.0.0.1',
    });
    expect(entry?.userId).not.toBeNull();
    const { changes } = (await service.get(`/api/platform/audit-logs/${entry?.id ?? ''}`, operator))
      .data as AuditLogDetail;
    expect(changes).toContainEqual({ path: 'tenantId', before: null, after: books.tenant.id });
    expect((await service.get(`/api/branches/${branchId}`, books.tenant.token)).headers['etag']).toBe(revision);
  });

  test('is not recorded if there was nothing to read', async () => {
    const before = (await entriesOf('HistoryRead')).length;
    expect((await service.get(streamOf('events', randomUUID()), operator)).status).toBe(404);
    expect((await service.get(streamOf('state'), books.tenant.token)).status).toBe(403);
    expect((await entriesOf('HistoryRead')).length).toBe(before);
  });

  test('returns nothing if it cannot be recorded', async () => {
    isAway = true;
    try {
      for (const what of ['events', 'state']) {
        const reply = await service.get(streamOf(what), operator);
        expect([what, reply.status, reply.text.includes('Harbour')]).toEqual([what, 503, false]);
      }
    } finally {
      isAway = false;
    }
  });
});

describe("An operator's inspection of a dead letter", () => {
  let letterId: string;
  beforeAll(async () => {
    await service.postSale(books.partner, saleOf('unbookable', { branchCode: 'NOWHERE' }));
    ({ id: letterId } = await eventually(async () => {
      const { body } = await service.get('/api/platform/dead-letters?search=unbookable', operator);
      return (body as Page<{ id: string }>).items[0];
    }, PATIENCE_MS));
  });

  test('is recorded by one audit entry on the dead letter', async () => {
    const before = (await entriesOf('HistoryRead')).length;
    const reply = await service.get(`/api/platform/dead-letters/${letterId}`, operator);
    expect([reply.status, reply.headers['etag']]).toEqual([200, '"0"']);
    const [entry, ...others] = await entriesOf('HistoryRead');
    expect(others.length).toBe(before);
    expect(entry).toMatchObject({ entity: 'dead-letter', entityId: letterId, tenantId: 'platform' });
    const { changes } = (await service.get(`/api/platform/audit-logs/${entry?.id ?? ''}`, operator))
      .data as AuditLogDetail;
    expect(changes).toContainEqual({ path: 'tenantId', before: null, after: books.tenant.id });
  });

  test('is not recorded if there is no such dead letter, and returns nothing if it cannot be recorded', async () => {
    const before = (await entriesOf('HistoryRead')).length;
    expect((await service.get(`/api/platform/dead-letters/${randomUUID()}`, operator)).status).toBe(404);
    isAway = true;
    try {
      const reply = await service.get(`/api/platform/dead-letters/${letterId}`, operator);
      expect([reply.status, reply.text.includes('unbookable')]).toEqual([503, false]);
    } finally {
      isAway = false;
    }
    expect((await entriesOf('HistoryRead')).length).toBe(before);
  });
});

describe("An operator's list of a tenant's webhooks", () => {
  const listOf = (tenantId: string): string => `/api/platform/tenants/${tenantId}/webhooks`;
  beforeAll(async () => {
    const body = { url: 'https://hooks.example/in', types: ['kontor.sale.*'] };
    await service.post('/api/webhooks', body, books.tenant.token);
  });

  test('is recorded by one audit entry on the tenant', async () => {
    const before = (await entriesOf('HistoryRead')).length;
    const reply = await service.get(listOf(books.tenant.id), operator);
    expect([reply.status, reply.data]).toEqual([200, [expect.objectContaining({ host: 'hooks.example' })]]);
    const [entry, ...others] = await entriesOf('HistoryRead');
    expect(others.length).toBe(before);
    expect(entry).toMatchObject({
      ...{ entity: 'tenant', entityId: books.tenant.id, tenantId: 'platform' },
      summary: 'History "webhook, state" read',
    });
  });

  test('is not recorded if there is no such tenant, and returns nothing if it cannot be recorded', async () => {
    const before = (await entriesOf('HistoryRead')).length;
    expect((await service.get(listOf(randomUUID()), operator)).told).toBe('404 NOT_FOUND');
    isAway = true;
    try {
      const reply = await service.get(listOf(books.tenant.id), operator);
      expect([reply.status, reply.text.includes('hooks.example')]).toEqual([503, false]);
    } finally {
      isAway = false;
    }
    expect((await entriesOf('HistoryRead')).length).toBe(before);
  });
});

describe('A download of a backup', () => {
  const execution = randomUUID();
  const path = `/api/platform/jobs/execution/${execution}/backup-download`;
  beforeAll(async () => {
    await backupOf(service.service.engines.events, join(service.directory, 'backups'), execution);
  });

  test('is recorded by one audit entry on the job', async () => {
    expect((await service.get(path, operator)).status).toBe(200);
    const [entry, ...others] = await entriesOf('BackupDownloaded');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ action: 'OTHER', entity: 'job', entityId: 'database-backup', tenantId: 'platform' });
    expect(entry?.summary).toMatch(/^Backup "kontor-\d{8}T\d{6}Z-[0-9a-f-]{36}\.ndjson\.gz" downloaded$/);
    const { changes } = (await service.get(`/api/platform/audit-logs/${entry?.id ?? ''}`, operator))
      .data as AuditLogDetail;
    expect(changes).toContainEqual({ path: 'executionId', before: null, after: execution });
  });

  test('sends no byte if it cannot be recorded', async () => {
    isAway = true;
    try {
      const reply = await service.get(path, operator);
      expect([reply.status, reply.headers['content-disposition'], reply.problem.code]).toEqual([
        503,
        undefined,
        'UNAVAILABLE',
      ]);
    } finally {
      isAway = false;
    }
  });

  test('is not recorded if the requested range is outside the file', async () => {
    const before = (await entriesOf('BackupDownloaded')).length;
    const range = { range: 'bytes=999999999-' };
    expect((await service.get(path, operator, range)).status).toBe(416);
    expect((await entriesOf('BackupDownloaded')).length).toBe(before);
  });

  test('is not recorded if there is no such backup', async () => {
    const before = (await entriesOf('BackupDownloaded')).length;
    expect((await service.get(path.replace(execution, randomUUID()), operator)).status).toBe(404);
    expect((await entriesOf('BackupDownloaded')).length).toBe(before);
  });
});

import type { DynamicModule } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { currentContext, type RequestContext } from '../../src/eventsourcing/context.js';
import { conflict, DomainError } from '../../src/eventsourcing/domain-error.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS } from '../../src/security/permissions.js';
import type { Authenticator, RateLimiter, UserPrincipal } from '../../src/security/principal.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../src/ports/event-store.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { createHttpApp, type HttpApp } from '../../src/http/adapter.js';
import { line } from '../../src/aggregates/fields.js';
import { MoneyInput } from '../../src/aggregates/money.js';
import { answer, JsonText } from '../../src/http/answer.js';
import { installDocs } from '../../src/http/docs-page.js';
import { queryBoolean, requiredPaging, searchInput } from '../../src/http/input.js';
import type { KernelOptions, Outcome } from '../../src/http/kernel.js';
import { controllerOf, pageOf, receipt, recordOf, routesAt, Services } from '../../src/http/routes.js';
import { named, recordFields } from '../../src/http/shapes.js';

export const ID = '0199d3a0-0000-7000-8000-000000000001';
export const TENANT = '0199d3a0-0000-7000-8000-00000000000a';

export const KiteDto = named('KiteDto', z.object({ ...recordFields, name: z.string(), tail: z.string().nullable() }));
const CreateKiteDto = named('CreateKiteDto', z.strictObject({ name: line(50), price: MoneyInput.optional() }));
const FlightDto = named(
  'FlightDto',
  z.strictObject({
    externalId: line(200),
    legs: z.array(z.strictObject({ meters: z.number() })).min(1),
    altitude: z.number().default(10),
  }),
);
const kiteText = `{"id":"${ID}","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","revision":7,"name":"Red","tail":null}`;
const kites = { tag: 'Customers', who: 'tenant' } as const;
const service = { tag: 'Service' } as const;
const read = routesAt('/api/kites', { ...kites, permission: 'customers.read' });
const write = routesAt('/api/kites', { ...kites, permission: 'customers.write', method: 'POST' });
const platform = routesAt('/api/platform/winds', { who: 'platform', ...service });
const partner = routesAt('/api/integrations/v1/flights', { who: 'partner', tag: 'Partner Intake' });
const value = { status: 200, shape: 'envelope' } as const;

const failures: Record<string, () => unknown> = {
  conflict: () => conflict('KITE_TAKEN', 'That kite is taken.'),
  events: () => new EventStoreUnavailable('esdb://secret-host refused'),
  reads: () => new ReadStoreUnavailable('mongodb://secret-host refused'),
  unknown: () => new AppendOutcomeUnknown('kite-1', new Error('secret-host')),
  defect: () => new Error('secret-host: password=hunter2'),
  driver: () => Object.assign(new Error('secret-host says 404'), { statusCode: 404 }),
  nothing: () => undefined,
};

export const KiteController = controllerOf(
  read.route('Get a kite', { path: '/:id', answers: recordOf(KiteDto) }, () =>
    answer(new JsonText(kiteText), { revision: 7 }),
  ),
  read.route(
    'List kites',
    {
      query: z.strictObject({ ...requiredPaging, search: searchInput.optional(), flying: queryBoolean.optional() }),
      answers: pageOf(KiteDto),
    },
    ({ query }) => ({ asked: query }),
  ),
  read.route('Look up kites', { path: '/lookup', answers: { status: 200, shape: 'lookup' } }, () => [
    { id: ID, name: 'Red', code: null },
  ]),
  write.route(
    'Make a kite',
    { body: CreateKiteDto, idempotencyKey: true, answers: { ...receipt(201), also: { 200: 'Replayed.' } } },
    async ({ body, idempotencyKey }) => {
      await Promise.resolve();
      seen.context = currentContext();
      seen.body = body;
      const isReplay = idempotencyKey !== undefined && ({ status: 200, replayed: true, behind: true } as const);
      return answer({ success: true, id: ID, revision: 0 }, { position: 41, ...isReplay });
    },
  ),
  write.route('Land a kite', { method: 'PATCH', path: '/:id/land', answers: receipt(200) }, ({ id }) => {
    seen.context = currentContext();
    return { success: true, id, revision: 8 };
  }),
  read.route('Fail', { path: '/failing/:how', answers: value }, ({ params }) => {
    const error = failures[params.how]?.();
    if (error !== undefined) throw error as Error;
    return { loop: 1n };
  }),
  read.route('Get a report', { path: '/report', answers: { ...value, media: ['text/csv'] } }, (call) =>
    call.prefers('text/csv') ? answer('name\r\nRed\r\n', { type: 'text/csv; charset=utf-8' }) : { rows: ['Red'] },
  ),
  routesAt('/api/wind', { who: 'any', ...service }).route('Get the caller', { answers: value }, ({ caller }) => ({
    kind: caller.kind,
  })),
  platform.route('List winds', { answers: value }, () => []),
  platform.route('Stream winds', { path: '/stream', answers: { status: 200, shape: 'sse', bareRefusals: true } }, () =>
    Readable.from(['event: wind\ndata: {}\n\n']),
  ),
  platform.route('Export winds', { path: '/export', answers: { status: 200, shape: 'file' } }, () => answer(pieces())),
  routesAt('/api/kites/admin', { who: 'tenant-admin', permission: 'notifications.send', ...service }).route(
    'Shout',
    { method: 'POST', answers: { ...value, status: 201 } },
    () => ({ shouted: true }),
  ),
  routesAt('/api/login', { who: 'public', tag: 'Authentication' }).route(
    'Sign in',
    { method: 'POST', answers: value },
    () => {
      seen.context = currentContext();
      return {};
    },
  ),
  routesAt('/metrics', { who: 'token', ...service }).route(
    'Get the metrics',
    { answers: { status: 200, shape: 'plain', media: ['text/plain'] } },
    () => answer('up 1\n', { type: 'text/plain; version=0.0.4' }),
  ),
  partner.route(
    'Push a flight',
    { method: 'POST', body: FlightDto, idempotencyKey: true, answers: { status: 202, shape: 'plain' } },
    ({ body, received, caller }) => {
      seen.context = currentContext();
      return { body, received, sourceId: caller.sourceId };
    },
  ),
  partner.route(
    'Get a flight',
    { path: '/:externalId', answers: { status: 200, shape: 'plain' } },
    ({ params }) => params,
  ),
);

async function* pieces() {
  await Promise.resolve();
  yield 'one';
  yield 'two';
}

class ToyModule {} // eslint-disable-line @typescript-eslint/no-extraneous-class -- a Nest module is its options
const toyModule: DynamicModule = { module: ToyModule, providers: [{ provide: Services, useValue: undefined }] };

/** The input of the most recent handler call. */
export const seen: { context: RequestContext | undefined; body: unknown } = { context: undefined, body: undefined };

const user = (role: 'ADMIN' | 'USER' | 'NONE'): UserPrincipal => ({
  kind: 'user',
  userId: `user-${role}`,
  tenantId: TENANT,
  sessionId: 'session-1',
  permissions: role === 'NONE' ? new Set() : role === 'ADMIN' ? ALL_PERMISSIONS : SYSTEM_ROLE_PERMISSIONS[role],
  role,
  branchId: role === 'USER' ? 'branch-1' : null,
  proof: { verifiedAtMs: 0, hasFactor: false, mustHaveFactor: false },
});

const bearers: Record<string, Awaited<ReturnType<Authenticator['bearer']>>> = {
  admin: user('ADMIN'),
  user: user('USER'),
  none: user('NONE'),
  operator: {
    kind: 'operator',
    userId: 'operator-1',
    sessionId: 'session-2',
    proof: { verifiedAtMs: 0, hasFactor: false, mustHaveFactor: false },
  },
};

/** Accepts the tokens in `bearers` and two keys. The token `away` simulates an unavailable store. */
const authenticator: Authenticator = {
  bearer: (token) => {
    const principal = bearers[token];
    if (token === 'away') return Promise.reject(new DomainError('unavailable', 'UNAVAILABLE', 'Not now.'));
    if (!principal) return Promise.reject(new DomainError('unauthenticated', 'UNAUTHENTICATED', 'No such session.'));
    return Promise.resolve(principal);
  },
  partner: (key) => {
    if (key === 'away') return Promise.reject(new DomainError('unavailable', 'UNAVAILABLE', 'Not now.'));
    if (!['shop', 'busy'].includes(key))
      return Promise.reject(new DomainError('unauthenticated', 'INVALID_KEY', 'No such key.'));
    return Promise.resolve({
      kind: 'partner',
      tenantId: TENANT,
      sourceId: key,
      keyId: key,
      rateLimit: key === 'busy' ? 2 : 60,
    });
  },
};

const UNLIMITED = { address: 1_000_000, user: 1_000_000, userWrites: 1_000_000, tenant: 1_000_000 };
export const NOW_MS = Date.UTC(2026, 0, 15, 12);

const countingLimiter = (): RateLimiter => {
  const hits = new Map<string, number>();
  return {
    hit: (bucket, limit, by = 1) => {
      const count = (hits.get(bucket) ?? 0) + by;
      hits.set(bucket, count);
      return Promise.resolve({
        limit,
        remaining: Math.max(0, limit - count),
        resetAtMs: NOW_MS + 29_500,
        windowSeconds: 60,
        allowed: count <= limit,
        admitted: Math.max(0, Math.min(by, limit - count + by)),
      });
    },
  };
};

export type Toy = HttpApp & { readonly outcomes: Outcome[]; readonly lines: object[]; readonly document: () => string };

/** Starts the kernel with toy routes. */
export async function startToy(options: Partial<KernelOptions> = {}): Promise<Toy> {
  const outcomes: Outcome[] = [];
  const lines: object[] = [];
  let next = 0;
  let document = (): string => '';
  const made = await createHttpApp(
    toyModule,
    () => ({
      authenticator,
      rateLimiter: countingLimiter(),
      limits: UNLIMITED,
      clock: { nowMs: () => NOW_MS, monotonicMs: () => 0, sleep: () => Promise.resolve() },
      ids: { next: () => `made-${(next += 1)}` },
      logger: { info: (fields) => lines.push(fields), error: (fields) => lines.push(fields) },
      observe: (outcome) => outcomes.push(outcome),
      ...options,
    }),
    {
      controllers: [KiteController],
      beforeRoutes: (server, kernel) => {
        document = installDocs(server, kernel, { title: 'Kites', version: '1.0.0' });
      },
    },
  );
  await made.app.init();
  await made.server.ready();
  return { ...made, outcomes, lines, document };
}

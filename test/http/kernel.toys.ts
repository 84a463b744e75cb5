import { Body, Controller, Module, Param, Query } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { currentContext, type RequestContext } from '../../src/platform/context.js';
import { conflict, DomainError } from '../../src/platform/domain-error.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS } from '../../src/platform/permissions.js';
import type {
  Authenticator,
  PartnerPrincipal,
  Principal,
  RateLimiter,
  UserPrincipal,
} from '../../src/platform/principal.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../src/ports/event-store.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { createHttpApp, type HttpApp } from '../../src/http/adapter.js';
import { line } from '../../src/aggregates/fields.js';
import { MoneyInput } from '../../src/aggregates/money.js';
import { answer, JsonText } from '../../src/http/answer.js';
import { installDocs } from '../../src/http/docs-page.js';
import { Caller, Endpoint, IdempotencyKey, Received, Wants } from '../../src/http/endpoint.js';
import { queryBoolean, requiredPaging, searchInput } from '../../src/http/input.js';
import type { KernelOptions, Outcome } from '../../src/http/kernel.js';
import { named, recordFields } from '../../src/http/shapes.js';

export const ID = '0199d3a0-0000-7000-8000-000000000001';
export const TENANT = '0199d3a0-0000-7000-8000-00000000000a';

export const KiteDto = named('KiteDto', z.object({ ...recordFields, name: z.string(), tail: z.string().nullable() }));
const CreateKiteDto = named('CreateKiteDto', z.strictObject({ name: line(50), price: MoneyInput.optional() }));
const FlightDto = named(
  'FlightDto',
  z.strictObject({
    externalId: line(200),
    legs: z.array(z.strictObject({ metres: z.number() })).min(1),
    altitude: z.number().default(10),
  }),
);
const kiteText = `{"id":"${ID}","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","revision":7,"name":"Red","tail":null}`;
const kites = { tag: 'Customers', who: 'tenant' } as const;
const read = { ...kites, method: 'GET', permission: 'customers.read' } as const;
const write = { ...kites, permission: 'customers.write' } as const;
const command = { status: 201, shape: 'command' } as const;

const failures: Record<string, () => unknown> = {
  conflict: () => conflict('KITE_TAKEN', 'That kite is taken.'),
  events: () => new EventStoreUnavailable('esdb://secret-host refused'),
  reads: () => new ReadStoreUnavailable('mongodb://secret-host refused'),
  unknown: () => new AppendOutcomeUnknown('kite-1', new Error('secret-host')),
  defect: () => new Error('secret-host: password=hunter2'),
  driver: () => Object.assign(new Error('secret-host says 404'), { statusCode: 404 }),
  nothing: () => undefined,
};

@Controller()
class KiteController {
  @Endpoint({
    ...read,
    path: '/api/kites/:id',
    summary: 'A kite',
    answers: { status: 200, shape: 'envelope', schema: KiteDto, etag: true },
  })
  get(@Param('id') _id: string) {
    return answer(new JsonText(kiteText), { revision: 7 });
  }

  @Endpoint({
    ...read,
    path: '/api/kites',
    summary: 'Kites',
    query: z.strictObject({ ...requiredPaging, search: searchInput.optional(), flying: queryBoolean.optional() }),
    answers: { status: 200, shape: 'page', schema: KiteDto },
  })
  list(@Query() query: object) {
    return { asked: query };
  }

  @Endpoint({
    ...read,
    path: '/api/kites/lookup',
    summary: 'Kites, briefly',
    answers: { status: 200, shape: 'lookup' },
  })
  lookup() {
    return [{ id: ID, name: 'Red', code: null }];
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path: '/api/kites',
    summary: 'Make a kite',
    body: CreateKiteDto,
    idempotencyKey: true,
    answers: { ...command, also: { 200: 'Replayed.' } },
  })
  async make(@Body() body: z.output<typeof CreateKiteDto>, @IdempotencyKey() key: string | undefined) {
    await Promise.resolve();
    seen.context = currentContext();
    seen.body = body;
    const result = { success: true, id: ID, revision: 0 };
    if (key !== undefined) return answer(result, { status: 200, replayed: true, position: 41, behind: true });
    return answer(result, { position: 41 });
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/kites/:id/land',
    summary: 'Land a kite',
    answers: { ...command, status: 200 },
  })
  land(@Param('id') id: string) {
    seen.context = currentContext();
    return { success: true, id, revision: 8 };
  }

  @Endpoint({ ...read, path: '/api/kites/failing/:how', summary: 'Fail', answers: { status: 200, shape: 'envelope' } })
  fail(@Param('how') how: string) {
    const error = failures[how]?.();
    if (error !== undefined) throw error as Error;
    return { loop: 1n };
  }

  @Endpoint({
    ...read,
    path: '/api/kites/report',
    summary: 'A report',
    answers: { status: 200, shape: 'envelope', media: ['text/csv'] },
  })
  report(@Wants('text/csv') csv: boolean) {
    return csv ? answer('name\r\nRed\r\n', { type: 'text/csv; charset=utf-8' }) : { rows: ['Red'] };
  }

  @Endpoint({
    method: 'GET',
    path: '/api/wind',
    who: 'any',
    tag: 'Service',
    summary: 'Who asks',
    answers: { status: 200, shape: 'envelope' },
  })
  wind(@Caller() caller: Principal) {
    return { kind: caller.kind };
  }

  @Endpoint({
    method: 'GET',
    path: '/api/platform/winds',
    who: 'platform',
    tag: 'Service',
    summary: 'Winds',
    answers: { status: 200, shape: 'envelope' },
  })
  winds() {
    return [];
  }

  @Endpoint({
    method: 'GET',
    path: '/api/platform/winds/stream',
    who: 'platform',
    tag: 'Service',
    summary: 'Winds',
    answers: { status: 200, shape: 'sse', bareRefusals: true },
  })
  stream() {
    return Readable.from(['event: wind\ndata: {}\n\n']);
  }

  @Endpoint({
    method: 'GET',
    path: '/api/platform/winds/export',
    who: 'platform',
    tag: 'Service',
    summary: 'Winds',
    answers: { status: 200, shape: 'file' },
  })
  export() {
    return answer(pieces());
  }

  @Endpoint({
    method: 'POST',
    path: '/api/kites/admin',
    who: 'tenant-admin',
    permission: 'notifications.send',
    tag: 'Service',
    summary: 'Shout',
    answers: { status: 201, shape: 'envelope' },
  })
  shout() {
    return { shouted: true };
  }

  @Endpoint({
    method: 'POST',
    path: '/api/login',
    who: 'public',
    tag: 'Authentication',
    summary: 'Sign in',
    answers: { status: 200, shape: 'envelope' },
  })
  login() {
    seen.context = currentContext();
    return {};
  }

  @Endpoint({
    method: 'GET',
    path: '/metrics',
    who: 'token',
    tag: 'Service',
    summary: 'Metrics',
    answers: { status: 200, shape: 'plain', media: ['text/plain'] },
  })
  metrics() {
    return answer('up 1\n', { type: 'text/plain; version=0.0.4' });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/integrations/v1/flights',
    who: 'partner',
    tag: 'Partner Intake',
    summary: 'A flight',
    body: FlightDto,
    idempotencyKey: true,
    answers: { status: 202, shape: 'plain' },
  })
  flight(@Body() body: object, @Received() received: object, @Caller() partner: PartnerPrincipal) {
    seen.context = currentContext();
    return { body, received, sourceId: partner.sourceId };
  }

  @Endpoint({
    method: 'GET',
    path: '/api/integrations/v1/flights/:externalId',
    who: 'partner',
    tag: 'Partner Intake',
    summary: 'A flight',
    answers: { status: 200, shape: 'plain' },
  })
  flightOf(@Param('externalId') externalId: string) {
    return { externalId };
  }
}

async function* pieces() {
  await Promise.resolve();
  yield 'one';
  yield 'two';
}

@Module({ controllers: [KiteController] })
class KiteModule {} // eslint-disable-line @typescript-eslint/no-extraneous-class -- a Nest module is its decorator

@Controller()
class ForgetfulController {
  @Endpoint({ ...read, path: '/api/remembered', summary: 'Declared', answers: { status: 200, shape: 'envelope' } })
  remembered() {
    return {};
  }
}
@Module({ controllers: [ForgetfulController] })
export class ForgetfulModule {} // eslint-disable-line @typescript-eslint/no-extraneous-class -- a Nest module is its decorator

/** What the last handler saw. */
export const seen: { context: RequestContext | undefined; body: unknown } = { context: undefined, body: undefined };

const user = (role: 'ADMIN' | 'USER' | 'NONE'): UserPrincipal => ({
  kind: 'user',
  userId: `user-${role}`,
  tenantId: TENANT,
  sessionId: 'session-1',
  permissions: role === 'NONE' ? new Set() : role === 'ADMIN' ? ALL_PERMISSIONS : SYSTEM_ROLE_PERMISSIONS[role],
  role,
  branchId: role === 'USER' ? 'branch-1' : null,
});

const bearers: Record<string, Awaited<ReturnType<Authenticator['bearer']>>> = {
  admin: user('ADMIN'),
  user: user('USER'),
  none: user('NONE'),
  operator: { kind: 'operator', userId: 'operator-1', sessionId: 'session-2' },
};

/** Knows four tokens and two keys; `away` is a store that cannot be asked. */
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

export const NOW_MS = Date.UTC(2026, 0, 15, 12);

const countingLimiter = (): RateLimiter => {
  const hits = new Map<string, number>();
  return {
    hit: (bucket, limit) => {
      const count = (hits.get(bucket) ?? 0) + 1;
      hits.set(bucket, count);
      return Promise.resolve({
        limit,
        remaining: Math.max(0, limit - count),
        resetAtMs: NOW_MS + 29_500,
        windowSeconds: 60,
        allowed: count <= limit,
      });
    },
  };
};

export type Toy = HttpApp & { readonly outcomes: Outcome[]; readonly lines: object[]; readonly document: () => string };

/** The kernel around toy routes. */
export async function startToy(options: Partial<KernelOptions> = {}): Promise<Toy> {
  const outcomes: Outcome[] = [];
  const lines: object[] = [];
  let next = 0;
  let document = (): string => '';
  const made = await createHttpApp(
    KiteModule,
    () => ({
      authenticator,
      rateLimiter: countingLimiter(),
      clock: { nowMs: () => NOW_MS, monotonicMs: () => 0, sleep: () => Promise.resolve() },
      ids: { next: () => `made-${(next += 1)}` },
      logger: { info: (fields) => lines.push(fields), error: (fields) => lines.push(fields) },
      observe: (outcome) => outcomes.push(outcome),
      ...options,
    }),
    {
      beforeRoutes: (server, kernel) => {
        document = installDocs(server, kernel, { title: 'Kites', version: '1.0.0' });
      },
    },
  );
  await made.app.init();
  await made.server.ready();
  return { ...made, outcomes, lines, document };
}

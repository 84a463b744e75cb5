import { setTimeout as delay } from 'node:timers/promises';
import { generateKeyPair, exportJWK, decodeJwt } from 'jose';
import { integrationKey, revokeIntegrationKey } from '../../src/aggregates/integration-key.aggregate.js';
import { endSession, session } from '../../src/aggregates/session.aggregate.js';
import { tenant, updateTenant } from '../../src/aggregates/tenant.aggregate.js';
import { updateUser, user } from '../../src/aggregates/user.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { Servers } from '../support/servers.js';
import { TestService, type Books } from '../support/service.js';

const WITHIN_MS = 1_000;

/**
 * Executes a command directly, because its route would check permissions. On another replica, the command has the same
 * effect as a request.
 */
type Revoke = (runner: CommandRunner, books: Books) => Promise<unknown>;
const revocations: readonly { what: string; revoke: Revoke; refused: 'token' | 'key' | 'both' }[] = [
  {
    what: 'an ended session',
    revoke: (runner, { tenant: { id, token } }) => {
      const target = { tenantId: id, id: String(decodeJwt(token)['sid']) };
      return runner.execute(session, target, { reason: 'LOGOUT' }, endSession);
    },
    refused: 'token',
  },
  {
    what: 'a deactivated user',
    revoke: (runner, { tenant: { id, token } }) => {
      const target = { tenantId: id, id: String(decodeJwt(token).sub) };
      return runner.execute(user, target, { isActive: false }, updateUser);
    },
    refused: 'token',
  },
  {
    what: 'a revoked key',
    revoke: (runner, { tenant: { id }, partner }) =>
      runner.execute(integrationKey, { tenantId: id, id: partner.id }, {}, revokeIntegrationKey),
    refused: 'key',
  },
  {
    what: 'a deactivated tenant',
    revoke: (runner, { tenant: { id } }) =>
      runner.execute(tenant, { tenantId: PLATFORM_TENANT, id }, { isActive: false }, updateTenant),
    refused: 'both',
  },
];

describe('a revocation on one replica', () => {
  let servers: Servers;
  let first: TestService;
  let second: TestService;
  beforeAll(async () => {
    servers = await Servers.start();
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const environment = { ...servers.settings, JWT_SIGNING_KEY: JSON.stringify(await exportJWK(privateKey)) };
    first = await TestService.start({ environment });
    second = await TestService.start({ environment });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    await servers.dispose();
  });

  const statuses = async ({ tenant: { token }, partner }: Books): Promise<{ token: number; key: number }> => {
    const byToken = await second.get('/api/customers?pageNumber=1&pageSize=1', token);
    const byKey = await second.call('GET', '/api/integrations/v1/sales/nothing', { key: partner.key });
    return { token: byToken.status, key: byKey.status };
  };

  test.each(revocations)('takes effect on another within a second: $what', async ({ revoke, refused }) => {
    const books = await first.openBooks();
    // Creates another owner, because a tenant's only owner cannot be deactivated.
    await first.createUser(books.tenant, 'OWNER');
    const allowed = { token: 200, key: 404 };
    expect(await statuses(books)).toEqual(allowed);
    const id = first.service.engines.ids.next();
    const actor = { kind: 'system', name: 'test' } as const;
    const context = { tenantId: books.tenant.id, actor, requestId: id, correlationId: id, commandId: id };
    const runner = first.service.app.get(CommandRunner);
    await inContext(context, () => revoke(runner, books));
    const revokedAtMs = performance.now();
    const expected = {
      token: refused === 'key' ? 200 : 401,
      key: refused === 'token' ? 404 : 401,
    };
    // Sends requests throughout this second. The replica may still accept them, and they keep its cached entry in use.
    while (performance.now() - revokedAtMs < WITHIN_MS) {
      await statuses(books);
      await delay(100);
    }
    expect(await statuses(books)).toEqual(expected);
  });
});

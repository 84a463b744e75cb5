import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentContext, inContext, type RequestContext } from '../../src/eventsourcing/context.js';
import { metadataOf } from '../../src/eventsourcing/event-catalogue.js';
import { inReactionTo } from '../../src/eventsourcing/policy.js';
import { OTHER_TENANT, TENANT } from '../support/member.toy.js';

const context = (given: Partial<RequestContext> = {}): RequestContext => ({
  tenantId: TENANT,
  actor: { kind: 'anonymous' },
  requestId: 'request',
  correlationId: 'chain',
  commandId: 'command',
  ...given,
});

describe('The context of a request', () => {
  test('follows everything that the request awaits, and nothing else', async () => {
    const work = (requestId: string) =>
      inContext(context({ requestId }), async () => {
        await nextTurn();
        const inner = await inContext(context({ requestId: `${requestId}/inner` }), async () => {
          await nextTurn();
          return currentContext().requestId;
        });
        return [inner, currentContext().requestId];
      });
    expect(await Promise.all([work('a'), work('b')])).toEqual([
      ['a/inner', 'a'],
      ['b/inner', 'b'],
    ]);
    expect(() => currentContext()).toThrow('no request context');
  });

  test.each<[RequestContext['actor'], object]>([
    [
      { kind: 'user', userId: 'u', sessionId: 's' },
      { userId: 'u', sessionId: 's' },
    ],
    [
      { kind: 'operator', userId: 'o', sessionId: 's' },
      { operatorId: 'o', sessionId: 's' },
    ],
    [
      { kind: 'partner', sourceId: 'shop', keyId: 'k' },
      { sourceId: 'shop', keyId: 'k' },
    ],
    [{ kind: 'system', name: 'booking' }, { system: 'booking' }],
    [{ kind: 'anonymous' }, {}],
  ])('gives events their actor: %j', (actor, who) => {
    const given = context({ actor, branchId: 'b', ip: '::1', userAgent: 'curl', causationId: 'cause' });
    expect(metadataOf(given, 2, '2026-01-01T00:00:00.000Z')).toEqual({
      tenantId: TENANT,
      timestamp: '2026-01-01T00:00:00.000Z',
      version: 2,
      commandId: 'command',
      requestId: 'request',
      $correlationId: 'chain',
      $causationId: 'cause',
      branchId: 'b',
      ip: '::1',
      userAgent: 'curl',
      ...who,
    });
  });

  test('has no empty fields for unknown values', () => {
    const keys = Object.keys(metadataOf(context(), 1, 'now'));
    expect(keys).toEqual(['tenantId', 'timestamp', 'version', 'commandId', 'requestId', '$correlationId']);
  });

  test('of a reaction continues the chain of the event, identically for each delivery', () => {
    const metadata = metadataOf(context(), 1, 'now');
    const react = (tenantId?: string) =>
      inReactionTo({ id: 'event', tenantId: TENANT, metadata }, 'booking', currentContext, tenantId);
    expect(react()).toEqual(react());
    expect(react()).toMatchObject({
      tenantId: TENANT,
      actor: { kind: 'system', name: 'booking' },
      requestId: 'request',
      correlationId: 'chain',
      causationId: 'event',
      commandId: 'event',
    });
    expect(react(OTHER_TENANT).tenantId).toBe(OTHER_TENANT);
  });
});

import fc from 'fast-check';
import { parseStreamName, PLATFORM_TENANT, streamName } from '../../src/eventsourcing/stream-name.js';
import { TENANT } from '../support/member.toy.js';

describe('A stream name', () => {
  test('contains entity, tenant and id', () => {
    expect(streamName('customer', TENANT, 'c1')).toBe(`customer-${TENANT}_c1`);
    expect(parseStreamName(`customer-${TENANT}_c1`)).toEqual({ entity: 'customer', tenantId: TENANT, id: 'c1' });
    expect(parseStreamName('dead-letter-platform_x')).toEqual({ entity: 'dead-letter', tenantId: 'platform', id: 'x' });
  });

  test('can be parsed for any id: an id never imitates another tenant or entity (property)', () => {
    const id = fc.oneof(
      fc.string({ minLength: 1 }).filter((text) => !/[\n\r\u2028\u2029]/.test(text)),
      fc.constantFrom('x-platform_y', `-${TENANT}_c1`, '_', '-', `customer-${TENANT}_c1`),
    );
    const entity = fc.stringMatching(/^[a-z]+(-[a-z]+)?$/);
    fc.assert(
      fc.property(entity, fc.oneof(fc.uuid(), fc.constant(PLATFORM_TENANT)), id, (name, tenantId, own) => {
        expect(parseStreamName(streamName(name, tenantId, own))).toEqual({ entity: name, tenantId, id: own });
      }),
    );
  });

  test.each(['', '$all', 'customer', 'customer-c1', 'customer-tenant_c1', `customer-${TENANT}_`, `-${TENANT}_c1`])(
    'is rejected: %j',
    (stream) => {
      expect(parseStreamName(stream)).toBeUndefined();
    },
  );
});

import { RecordChanges } from '../../src/eventsourcing/record-changes.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';

const TENANTS = ['0199d3a0-0000-7000-8000-000000000001', '0199d3a0-0000-7000-8000-000000000002'] as const;
const [ONE, OTHER] = TENANTS;

describe('The last change of the records of a kind', () => {
  test('is never too early, even if it is no longer remembered', () => {
    const changes = new RecordChanges(1);
    changes.begin(10);
    changes.note(streamName('category', ONE, 'food'), 20);
    changes.note(streamName('category', OTHER, 'food'), 30);
    expect(TENANTS.map((tenant) => changes.lastOf('category', tenant))).toEqual([20, 30]);
  });

  test('is separate for each tenant and kind, and does not go back', () => {
    const changes = new RecordChanges();
    changes.begin(10);
    changes.note(streamName('category', ONE, 'food'), 30);
    changes.note(streamName('category', ONE, 'rent'), 20);
    expect(changes.lastOf('category', ONE)).toBe(30);
    expect([changes.lastOf('category', OTHER), changes.lastOf('category-rule', ONE)]).toEqual([10, 10]);
  });

  test('is unknown before the history is followed', () => {
    const changes = new RecordChanges();
    changes.note(streamName('category', ONE, 'food'), 20);
    expect(changes.lastOf('category', ONE)).toBe(Number.POSITIVE_INFINITY);
  });
});

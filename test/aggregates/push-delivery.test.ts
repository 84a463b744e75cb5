import {
  type FailedPush,
  pushDelivery,
  type PushDeliveryEvent,
  recordRetriedPushes,
} from '../../src/aggregates/push-subscription.aggregate.js';
import { given, NOW } from './given.js';

const at = NOW.toISOString();
const failed = (...ids: readonly string[]): FailedPush[] =>
  ids.map((subscriptionId) => ({ subscriptionId, code: 'HTTP_500' }));
const givenUp = (...ids: readonly string[]): PushDeliveryEvent => ({
  type: 'PushesDelivered',
  data: { cursor: '1', delivered: 0, gone: 0, failed: failed(...ids), used: [], isLast: true, at },
});
const retried = (tried: readonly string[], left: readonly string[]): PushDeliveryEvent => ({
  type: 'FailedPushesRetried',
  data: { delivered: tried.length - left.length, failed: failed(...left), tried: [...tried], at },
});

describe('A replay of abandoned pushes', () => {
  test('starts with the browsers that were not tried, and ends with the browsers that failed again', () => {
    const { state } = given(pushDelivery, [givenUp('a', 'b', 'c', 'd'), retried(['a', 'b'], ['a'])]);
    expect(state.failed).toEqual(failed('c', 'd', 'a'));
  });
  test('restores nothing that another replay has settled meanwhile', () => {
    const after = given(pushDelivery, [givenUp('a', 'b', 'c'), retried(['a', 'b'], [])]);
    const late = { delivered: 1, failed: failed('a', 'c'), tried: ['a', 'b', 'c'] };
    after.when(recordRetriedPushes, late).then({
      type: 'FailedPushesRetried',
      data: { delivered: 1, failed: failed('c'), tried: ['a', 'b', 'c'], at },
    });
    after.when(recordRetriedPushes, { delivered: 2, failed: [], tried: ['a', 'b'] }).changesNothing();
  });
  test('by an older version covered all of them', () => {
    const older: PushDeliveryEvent = { type: 'FailedPushesRetried', data: { delivered: 2, failed: failed('b'), at } };
    expect(given(pushDelivery, [givenUp('a', 'b', 'c'), older]).state.failed).toEqual(failed('b'));
  });
});

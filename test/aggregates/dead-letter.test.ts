import {
  deadLetter,
  deadLetterId,
  discardLetter,
  parkLetter,
  settleReplay,
  type DeadLetterEvent,
  type NewDeadLetter,
} from '../../src/aggregates/dead-letter.aggregate.js';
import { given, NOW } from './given.js';

const reason = {
  code: 'BRANCH_UNKNOWN',
  message: 'The branch NORTH does not exist. Create it, or correct branchCode.',
};
const letter: NewDeadLetter = {
  origin: 'SALE',
  subscriber: 'booking',
  eventId: 'e-1',
  eventType: 'SaleAccepted',
  stream: 'sale-t_1',
  revision: 0,
  position: 7,
  reason,
};
const at = NOW.toISOString();
const parked: DeadLetterEvent = { type: 'DeadLetterParked', data: { ...letter, failedAt: at } };
const failed = (attempt: number): DeadLetterEvent => ({
  type: 'DeadLetterReplayFailed',
  data: { attempt, at, reason },
});
const replayed: DeadLetterEvent = { type: 'DeadLetterReplayed', data: { attempt: 2, at } };
const discarded: DeadLetterEvent = { type: 'DeadLetterDiscarded', data: { reason: 'A test sale.', at } };

describe('A dead letter', () => {
  test('is parked once, however often its event fails', () => {
    given(deadLetter, []).when(parkLetter, letter).then(parked);
    given(deadLetter, [parked]).when(parkLetter, letter).changesNothing();
    given(deadLetter, [parked, failed(2)])
      .when(parkLetter, letter)
      .changesNothing();
  });
  test('is parked again when its replay fails once more, but not after it was discarded', () => {
    given(deadLetter, [parked, replayed]).when(parkLetter, letter).then(parked);
    expect(given(deadLetter, [parked, replayed, parked]).state).toMatchObject({ status: 'PARKED', attempts: 2 });
    given(deadLetter, [parked, discarded]).when(parkLetter, letter).changesNothing();
  });

  test('is parked again after it was discarded if an operator requested the attempt', () => {
    const requested = { ...letter, isRequested: true };
    given(deadLetter, [parked, discarded]).when(parkLetter, requested).then(parked);
    given(deadLetter, [parked]).when(parkLetter, requested).changesNothing();
  });
  test('is a separate letter for another failure', () => {
    const others = [{ origin: 'POLICY' as const }, { subscriber: 'other' }, { eventId: 'e-2' }];
    const ids = others.map((other) => deadLetterId({ ...letter, ...other }));
    expect(new Set([deadLetterId(letter), ...ids]).size).toBe(4);
  });

  test('counts each failed replay, and two concurrent ones as one', () => {
    given(deadLetter, [parked]).when(settleReplay, { attempt: 2, failure: reason }).then(failed(2));
    given(deadLetter, [parked, failed(2)])
      .when(settleReplay, { attempt: 2, failure: reason })
      .changesNothing();
    given(deadLetter, [parked, failed(2)])
      .when(settleReplay, { attempt: 3, failure: reason })
      .then(failed(3));
    expect(given(deadLetter, [parked, failed(2), failed(3)]).state).toMatchObject({ status: 'PARKED', attempts: 3 });
  });
  test('is resolved by the first successful replay, even if another one failed concurrently', () => {
    given(deadLetter, [parked]).when(settleReplay, { attempt: 2, failure: null }).then(replayed);
    given(deadLetter, [parked, failed(2)])
      .when(settleReplay, { attempt: 2, failure: null })
      .then(replayed);
    given(deadLetter, [parked, replayed])
      .when(settleReplay, { attempt: 2, failure: null })
      .isRefused('conflict ALREADY_RESOLVED');
    given(deadLetter, [parked, replayed])
      .when(settleReplay, { attempt: 2, failure: reason })
      .isRefused('conflict ALREADY_RESOLVED');
  });
  test('is discarded with a reason, and can then be neither replayed nor discarded again', () => {
    given(deadLetter, [parked]).when(discardLetter, { reason: 'A test sale.' }).then(discarded);
    for (const resolved of [discarded, replayed]) {
      const resolvedLetter = given(deadLetter, [parked, resolved]);
      resolvedLetter.when(discardLetter, { reason: 'x' }).isRefused('conflict ALREADY_RESOLVED');
      resolvedLetter.when(settleReplay, { attempt: 3, failure: null }).isRefused('conflict ALREADY_RESOLVED');
    }
  });
  test('that does not exist can be neither replayed nor discarded', () => {
    given(deadLetter, []).when(settleReplay, { attempt: 2, failure: null }).isRefused('not_found NOT_FOUND');
    given(deadLetter, []).when(discardLetter, { reason: 'x' }).isRefused('not_found NOT_FOUND');
  });
});

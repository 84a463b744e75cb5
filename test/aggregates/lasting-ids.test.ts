import { deadLetterId } from '../../src/aggregates/dead-letter.aggregate.js';
import { idempotencyKeyId } from '../../src/aggregates/request-key.aggregate.js';
import { scheduledExecutionId } from '../../src/aggregates/job.aggregate.js';
import { learnedRuleId, merchantChoicesId } from '../../src/aggregates/merchant-choices.aggregate.js';
import { pushSubscriptionId } from '../../src/aggregates/push-subscription.aggregate.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { keyedTransactionId } from '../../src/aggregates/transaction.aggregate.js';
import { noticeId } from '../../src/policies/notice-ids.js';

const TENANT = '0190f3a0-0000-7000-8000-00000000000a';
const choices = merchantChoicesId(TENANT, 'acme');

// These ids identify data that is sent more than once. If an upgrade changed an id, data sent both before and after the
// upgrade would be processed twice. The values were computed independently, with Python's uuid5 and sha256.
test.each([
  ['a partner’s sale', saleId(TENANT, 'pos-1', 'S-1'), '9b5cda31-f2ae-5d44-bd4d-b287636dd851'],
  [
    'a partner’s idempotency key',
    idempotencyKeyId('pos', 'k'),
    '2fd1da7e85c4482f4da1b23d7839f552f49d475a9cdf156746b69298eb36eddc',
  ],
  ['a transaction with a key', keyedTransactionId(TENANT, 'k-1'), '73c4b430-38c1-522b-81cd-88d141d9d6c1'],
  [
    'a dead letter',
    deadLetterId({ origin: 'SALE', subscriber: 'booking', eventId: 'e-1' }),
    '02ebfa56-e27d-54da-8439-37b109c7306a',
  ],
  [
    'the run of a job at an instant',
    scheduledExecutionId('toy', '2026-03-04T09:00:00.000Z'),
    '01dfa6fa-b449-5941-b1e8-52625fed98f4',
  ],
  ['the choices for a merchant', choices, '7196bc97-843e-5367-b9ac-4b252ce93fca'],
  ['a learned rule', learnedRuleId(choices, 'food'), '82361122-2ca1-5771-88b8-0c265eac8d4d'],
  ['a push subscription', pushSubscriptionId('https://push.example/one'), 'ab1e0f7d-1c19-5e97-9689-a0817d99a2a1'],
  ['a notification about an event', noticeId('e-1', 'letter'), 'bbabef63-3268-5210-be57-77dbfb168943'],
])('The id of %s never changes', (_, id, lasting) => {
  expect(id).toBe(lasting);
});

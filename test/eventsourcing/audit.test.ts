import { catalogue } from '../../src/app/catalogue.js';
import { isAudited, subjectOf, summaryOf, type Audited } from '../../src/eventsourcing/audit.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';

const event = (type: string, data: object, entity = 'customer'): Audited => {
  const origin = { tenantId: 't', timestamp: '', version: 1, commandId: '', requestId: '', $correlationId: '' };
  const recorded: Recorded = {
    type,
    data,
    id: 'e',
    stream: '',
    entity,
    tenantId: 't',
    recordId: 'the-record',
    revision: 0,
    position: 0,
    metadata: origin,
    audit: catalogue.types.get(type)?.audit ?? null,
  };
  if (!isAudited(recorded)) throw new Error(`${type} is not audited`);
  return recorded;
};

const sentences: readonly (readonly [type: string, data: object, sentence: string])[] = [
  ['CustomerCreated', { name: 'Ada Ltd', email: 'ada@ltd.test' }, 'Customer "Ada Ltd" created'],
  ['CustomerUpdated', { changes: { email: 'x@y.test', phone: '1' } }, 'Customer updated: email, phone'],
  ['CustomerUpdated', { changes: { name: 'Ada GmbH' } }, 'Customer "Ada GmbH" updated: name'],
  ['CustomerMadePassive', {}, 'Customer made passive'],
  ['UserCreated', { fullName: 'Uma', passwordHash: 'x' }, 'User "Uma" created'],
  ['UserPasswordChanged', { passwordHash: 'x' }, 'User password changed'],
  ['IntegrationKeyCreated', { name: 'Shop', secretHash: 'x' }, 'Integration key "Shop" created'],
  ['CategoryRuleUpdated', { changes: { priority: 7 } }, 'Category rule updated: priority'],
  ['SaleAccepted', { externalId: 'POS-1', customer: { name: 'Wanda' } }, 'Sale "POS-1" accepted'],
  ['SaleRejected', { code: 'BRANCH_UNKNOWN', message: 'No branch NOWHERE.' }, 'Sale rejected: BRANCH_UNKNOWN'],
  ['SessionEnded', { reason: 'LOGOUT' }, 'Session ended: LOGOUT'],
  ['LoginFailed', { reason: 'WRONG_PASSWORD' }, 'Login failed: WRONG_PASSWORD'],
  ['DeadLetterParked', { reason: { code: 'TOO_LARGE', message: 'x' } }, 'Dead letter parked: TOO_LARGE'],
  ['DeadLetterDiscarded', { reason: 'Ms Miller said so.' }, 'Dead letter discarded'],
  ['OpeningBalanceCancelled', { reason: 'Typed twice.' }, 'Opening balance cancelled'],
  [
    'TransactionRecorded',
    { transaction: { type: 'COLLECTION', amount: '12.50', currency: 'EUR', description: 'Private.' } },
    'Transaction "COLLECTION 12.50 EUR" recorded',
  ],
];

test.each(sentences)('%s with %j reads as a sentence', (type, data, sentence) => {
  expect(summaryOf(event(type, data))).toBe(sentence);
});

test('Long names and sentences are truncated', () => {
  expect(summaryOf(event('CustomerCreated', { name: 'x'.repeat(200) }))).toBe(`Customer "${'x'.repeat(120)}…" created`);
  const changes = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${n}`, n]));
  expect(summaryOf(event('CustomerUpdated', { changes })).length).toBe(401);
});

test('An entry refers to the record of its stream, or to the part named by the event', () => {
  const subject = (type: string, data: object): string => Object.values(subjectOf(event(type, data))).join(' ');
  expect(subject('CustomerUpdated', { changes: {} })).toBe('customer the-record');
  for (const type of ['TransactionCategorized', 'SaleTransactionCategorized', 'OpeningBalanceCategorized'])
    expect(subject(type, { transactionId: 't-1' })).toBe('transaction t-1');
  expect(subject('OpeningBalanceCancelled', { reversal: { id: 't-2', reversalOf: 't-1' } })).toBe('transaction t-1');
  expect(subject('DefaultAccountSet', { accountId: 'a', previousId: 'b' })).toBe('account a');
  expect(subject('DefaultAccountSet', { accountId: null, previousId: 'b' })).toBe('account b');
});

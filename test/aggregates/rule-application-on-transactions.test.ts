import { collection } from '../../src/aggregates/ledger.js';
import type { RecategorizationRequest } from '../../src/aggregates/ledger-trail.js';
import {
  recategorizeTransaction,
  transactionAggregate,
  type TransactionEvent,
} from '../../src/aggregates/transaction.aggregate.js';
import { given } from './given.js';

const transaction = collection(
  { id: 't1', date: '2026-03-04', currency: 'EUR' },
  { customerId: 'ada', accountId: 'cash', amount: '5.00' },
);
const recorded: TransactionEvent = {
  type: 'TransactionRecorded',
  data: { transaction, categorizedBy: null, fieldHashes: null },
};
const categorizedBy = { ruleId: 'r1', source: 'MANUAL' } as const;
const request = (replace: 'NONE' | 'RULE_SET'): RecategorizationRequest => ({
  ...{ transactionId: 't1', applicationId: 'a1', categorizedBy, categoryId: 'tea', replace },
  category: { status: 'active', direction: 'BOTH' } as RecategorizationRequest['category'],
});
const applied: TransactionEvent = {
  type: 'TransactionRecategorized',
  data: { transactionId: 't1', customerId: 'ada', applicationId: 'a1', categorizedBy, categoryId: 'tea' },
};
const chosen = (categoryId: string | null): TransactionEvent => ({
  type: 'TransactionCategorized',
  data: { transactionId: 't1', customerId: 'ada', categoryId },
});

describe('The application of a rule', () => {
  test('changes a transaction without a category once', () => {
    given(transactionAggregate, [recorded]).when(recategorizeTransaction, request('NONE')).then(applied);
    given(transactionAggregate, [recorded, applied]).when(recategorizeTransaction, request('RULE_SET')).then();
  });

  test('replaces the category of an earlier application, but never that of a later one', () => {
    const by = (applicationId: string): TransactionEvent => ({
      type: 'TransactionRecategorized',
      data: { transactionId: 't1', customerId: 'ada', applicationId, categorizedBy, categoryId: 'coffee' },
    });
    given(transactionAggregate, [recorded, by('a0')])
      .when(recategorizeTransaction, request('RULE_SET'))
      .then(applied);
    given(transactionAggregate, [recorded, by('a2')])
      .when(recategorizeTransaction, request('RULE_SET'))
      .then();
  });

  test.each(['coffee', null])('never changes the choice of a user, not even one made meanwhile: %s', (categoryId) => {
    for (const replace of ['NONE', 'RULE_SET'] as const)
      given(transactionAggregate, [recorded, chosen(categoryId)])
        .when(recategorizeTransaction, request(replace))
        .then();
  });
});

import fc, { type Arbitrary } from 'fast-check';
import { accountDefaultsEvents } from '../../src/aggregates/account-defaults.aggregate.js';
import { accountEvents } from '../../src/aggregates/account.aggregate.js';
import { branchEvents } from '../../src/aggregates/branch.aggregate.js';
import { categoryRuleEvents } from '../../src/aggregates/category-rule.aggregate.js';
import { ruleApplicationEvents } from '../../src/aggregates/rule-application.aggregate.js';
import { categoryEvents } from '../../src/aggregates/category.aggregate.js';
import { deadLetterEvents } from '../../src/aggregates/dead-letter.aggregate.js';
import { errorLogEvents } from '../../src/aggregates/error-log.aggregate.js';
import { customerEvents } from '../../src/aggregates/customer.aggregate.js';
import { jobEvents } from '../../src/aggregates/job.aggregate.js';
import { integrationKeyEvents, integrationKeyUseEvents } from '../../src/aggregates/integration-key.aggregate.js';
import { collection, correction, reversal, saleInvoice, type LedgerTransaction } from '../../src/aggregates/ledger.js';
import { fromMinor } from '../../src/aggregates/money.js';
import { notificationEvents, notificationInboxEvents } from '../../src/aggregates/notification.aggregate.js';
import { operatorEvents } from '../../src/aggregates/operator.aggregate.js';
import { pushDeliveryEvents, pushSubscriptionEvents } from '../../src/aggregates/push-subscription.aggregate.js';
import { roleEvents } from '../../src/aggregates/role.aggregate.js';
import { saleEvents } from '../../src/aggregates/sale.aggregate.js';
import { sessionEvents } from '../../src/aggregates/session.aggregate.js';
import { periodEvents } from '../../src/aggregates/tenant-periods.js';
import { tenantEvents } from '../../src/aggregates/tenant.aggregate.js';
import { transactionEvents } from '../../src/aggregates/transaction.aggregate.js';
import { webhookEvents } from '../../src/aggregates/webhook.aggregate.js';
import { userEvents } from '../../src/aggregates/user.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { EventDeclarations } from '../../src/eventsourcing/aggregate.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { PLATFORM_TENANT, streamName } from '../../src/eventsourcing/stream-name.js';
import { histories } from '../aggregates/event-samples.js';

const TENANTS = [1, 2].map((digit) => `0199d3a0-0000-7000-8000-00000000000${digit}`);
const CURRENCY = 'EUR';
const START_MS = Date.UTC(2026, 0, 1);

const cents = (max: number): Arbitrary<string> =>
  fc.integer({ min: 1, max }).map((minor) => fromMinor(BigInt(minor), 2));
const account = fc.constantFrom('cash', 'bank', 'sales', 'tax', 'customer-1', 'customer-2');
const date = fc.constantFrom('2026-01-31', '2026-02-01', '2026-02-28');

// There are few ids, so that a reversal often refers to an existing transaction.
const transactionId = fc.constantFrom('t-1', 't-2', 't-3', 't-4', 't-5');

/** Balanced transactions of several kinds, and their reversals. */
const transaction: Arbitrary<LedgerTransaction> = fc
  .record({
    kind: fc.nat({ max: 3 }),
    id: transactionId,
    date,
    net: cents(1e9),
    tax: cents(1e6),
    a: account,
    b: account,
  })
  .map(({ kind, id, date: day, net, tax, a, b }) => {
    const facts = { id, date: day, currency: CURRENCY, systemGenerated: true };
    const gross = fromMinor(BigInt(net.replace('.', '')) + BigInt(tax.replace('.', '')), 2);
    const document = { customerId: a, salesAccountId: 'sales', taxAccountId: 'tax', net, tax, gross };
    if (kind === 0) return saleInvoice(facts, document);
    if (kind === 1) return collection(facts, { customerId: a, accountId: b, amount: net });
    const correct = { direction: 'IN', amount: net, balancingAccountId: b, subject: { accountId: a } } as const;
    if (kind === 2) return correction(facts, { type: 'OPENING_BALANCE', ...correct });
    return reversal(saleInvoice(facts, document), { ...facts, id: `${id}-reversed` }, 'CANCELLATION');
  });

type Sample = { readonly type: string; readonly data: object };

const oneOf = (declarations: EventDeclarations): Arbitrary<Sample> =>
  histories(declarations)
    .filter(({ length }) => length > 0)
    .map(([first]) => first as Sample);

/** Makes an event's amounts consistent, which the schema alone does not guarantee. */
const withMoney = (sample: Arbitrary<Sample>): Arbitrary<Sample> =>
  fc.tuple(sample, fc.array(transaction, { maxLength: 3 }), transaction).map(([{ type, data }, transactions, one]) => {
    if ('transactions' in data) {
      const taxes = 'taxes' in data && [{ rate: '19', net: one.amount, tax: one.amount }];
      return { type, data: { ...data, transactions, ...(taxes && { taxes }) } };
    }
    if ('transaction' in data) return { type, data: { ...data, transaction: one } };
    if ('transactionId' in data) return { type, data: { ...data, transactionId: one.id } };
    if ('reversal' in data) return { type, data: { ...data, reversal: one } };
    if ('openingTransaction' in data)
      return { type, data: { ...data, currency: CURRENCY, openingTransaction: transactions[0] ?? null } };
    return { type, data };
  });

/** Restricts period closings to the few dates on which there are transactions. */
const closing = (sample: Arbitrary<Sample>): Arbitrary<Sample> =>
  fc.tuple(sample, date).map(([{ type, data }, through]) => {
    if (!('through' in data) || data.through === null) return { type, data };
    return { type, data: { ...data, through } };
  });

const step = fc.record({
  tenantId: fc.constantFrom(...TENANTS),
  recordId: fc.constantFrom('customer-1', 'customer-2', 'cash'),
  gap: fc.integer({ min: 1, max: 3 }),
  happened: fc.oneof(
    { weight: 3, arbitrary: withMoney(oneOf(customerEvents)).map((sample) => ['customer', sample] as const) },
    { weight: 3, arbitrary: withMoney(oneOf(saleEvents)).map((sample) => ['sale', sample] as const) },
    { weight: 2, arbitrary: withMoney(oneOf(transactionEvents)).map((sample) => ['transaction', sample] as const) },
    { weight: 2, arbitrary: oneOf(accountEvents).map((sample) => ['account', sample] as const) },
    { weight: 1, arbitrary: oneOf(integrationKeyEvents).map((sample) => ['integration-key', sample] as const) },
    { weight: 1, arbitrary: oneOf(integrationKeyUseEvents).map((sample) => ['integration-key-use', sample] as const) },
    { weight: 1, arbitrary: oneOf(webhookEvents).map((sample) => ['webhook', sample] as const) },
    { weight: 1, arbitrary: oneOf(branchEvents).map((sample) => ['branch', sample] as const) },
    { weight: 1, arbitrary: oneOf(tenantEvents).map((sample) => ['tenant', sample] as const) },
    { weight: 3, arbitrary: closing(oneOf(periodEvents)).map((sample) => ['tenant', sample] as const) },
    { weight: 1, arbitrary: oneOf(notificationEvents).map((sample) => ['notification', sample] as const) },
    {
      weight: 1,
      arbitrary: oneOf(notificationInboxEvents).map((sample) => ['notification-inbox', sample] as const),
    },
    { weight: 1, arbitrary: oneOf(pushSubscriptionEvents).map((sample) => ['push-subscription', sample] as const) },
    { weight: 1, arbitrary: oneOf(pushDeliveryEvents).map((sample) => ['push-delivery', sample] as const) },
    { weight: 1, arbitrary: oneOf(operatorEvents).map((sample) => ['operator', sample] as const) },
    { weight: 1, arbitrary: oneOf(userEvents).map((sample) => ['user', sample] as const) },
    { weight: 1, arbitrary: oneOf(roleEvents).map((sample) => ['role', sample] as const) },
    { weight: 1, arbitrary: oneOf(accountDefaultsEvents).map((sample) => ['defaults', sample] as const) },
    { weight: 1, arbitrary: oneOf(categoryEvents).map((sample) => ['category', sample] as const) },
    { weight: 1, arbitrary: oneOf(categoryRuleEvents).map((sample) => ['category-rule', sample] as const) },
    { weight: 1, arbitrary: oneOf(ruleApplicationEvents).map((sample) => ['rule-application', sample] as const) },
    { weight: 1, arbitrary: oneOf(deadLetterEvents).map((sample) => ['dead-letter', sample] as const) },
    { weight: 1, arbitrary: oneOf(jobEvents).map((sample) => ['job', sample] as const) },
    { weight: 1, arbitrary: oneOf(errorLogEvents).map((sample) => ['error-log', sample] as const) },
    { weight: 1, arbitrary: oneOf(sessionEvents).map((sample) => ['session', sample] as const) },
  ),
});

/** Histories of two tenants with few records and consistent amounts. The order of the events need not be plausible. */
export const anyHistory: Arbitrary<Recorded[]> = fc.array(step, { maxLength: 40, size: 'max' }).map((steps) => {
  const revisions = new Map<string, number>();
  let position = 0;
  return steps.map(({ tenantId: actingTenant, recordId: anyRecord, gap, happened: [entity, sample] }, index) => {
    // A tenant's own record belongs to the platform.
    const [tenantId, recordId] = entity === 'tenant' ? [PLATFORM_TENANT, actingTenant] : [actingTenant, anyRecord];
    const stream = streamName(entity, tenantId, recordId);
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    position += gap;
    const timestamp = new Date(START_MS + index * 1_000).toISOString();
    const origin = { commandId: 'c', requestId: 'r', $correlationId: 'r', version: 1 };
    const metadata = { ...origin, tenantId: actingTenant, timestamp, ...(index % 2 === 0 && { userId: 'u' }) };
    const audit = catalogue.types.get(sample.type)?.audit ?? null;
    return { ...sample, id: `event-${index}`, stream, entity, tenantId, recordId, revision, position, metadata, audit };
  });
});

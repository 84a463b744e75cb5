import fc from 'fast-check';
import { markedFields } from '../../src/aggregates/personal.js';
import { catalogue } from '../../src/app/catalogue.js';
import { fold, type Aggregate, type DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { histories } from './event-samples.js';

type AnyAggregate = Aggregate<unknown, DomainEvent>;
const aggregates = catalogue.aggregates as unknown as AnyAggregate[];
const MAKES_A_RECORD =
  /(Created|Started|Accepted|Claimed|Parked|Requested|Recorded|Occurred|Sent|Subscribed)$|^(?:LoginFailed|FactorRefused|BackupDownloaded|HistoryRead|EventsRead|RelatedDocumentRejected|SaleAwaited)$/;
/** Records without a creation event. The first event of such a record may have any type. */
const ALWAYS_THERE = [
  'defaults',
  'factor',
  'forwarder',
  'integrity',
  'integration-key-use',
  'membership',
  'merchant-choices',
  'notification-inbox',
  'number-sequence',
  'policy',
  'push-delivery',
  'webhook-progress',
];

describe.each(aggregates.map((aggregate) => [aggregate.name, aggregate] as const))(
  'the history of a %s',
  (_, aggregate) => {
    test('folds any events of its types in any order, and its claims can be computed', () => {
      fc.assert(
        fc.property(histories(aggregate.events), (history) => {
          for (const { type, data } of history) {
            expect(aggregate.events[type]?.schema.safeParse(data).success).toBe(true);
          }
          const state = fold(aggregate, history);
          expect(state).toBeDefined();
          for (const claim of aggregate.claims?.(state, 't') ?? []) expect(claim.value).toEqual(expect.any(String));
        }),
      );
    });
    test('folds to the same state all at once and step by step, without changing its input', () => {
      fc.assert(
        fc.property(histories(aggregate.events), fc.nat(12), (history, cut) => {
          const before = JSON.stringify(history);
          const once = fold(aggregate, history);
          const first = history.slice(0, cut);
          const later = fold(aggregate, history.slice(cut), fold(aggregate, first));
          expect(later).toEqual(once);
          expect(JSON.stringify(history)).toBe(before);
        }),
      );
    });
  },
);

test.each(aggregates.filter(({ name }) => !ALWAYS_THERE.includes(name)).map((one) => [one.name, one] as const))(
  'The history of a %s begins with the event that creates the record: nothing else changes a missing record',
  (_, aggregate) => {
    fc.assert(
      fc.property(histories(aggregate.events), (history) => {
        const later = history.filter(({ type }) => !MAKES_A_RECORD.test(type));
        expect(fold(aggregate, later)).toEqual(aggregate.initial);
      }),
    );
  },
);

describe('events', () => {
  const declared = aggregates.flatMap((aggregate) => Object.entries(aggregate.events));

  test('have unique names in the past tense', () => {
    const names = declared.map(([type]) => type);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/(ed|Set|Sent|Read|MadePassive|MadeActive|Chosen|Began|Rebuilt)$/);
  });
  test('are all audited except internal ones', () => {
    const silent = declared.filter(([, { audit }]) => audit === null).map(([type]) => type);
    expect(silent.sort()).toEqual([
      'AuthenticatorAppRequested',
      'AuthenticatorAppUsed',
      'AwaitedSaleBooked',
      'CheckpointSigned',
      'ClaimReleased',
      'DefaultAccountsSeeded',
      'ErrorLogExpired',
      'ErrorOccurred',
      'FailedPushesRetried',
      'ForwarderRewindCompleted',
      'ForwarderStarted',
      'IdempotencyKeyClaimed',
      'IntegrationKeyUsed',
      'JobClaimed',
      'JobProgressed',
      'JobScheduleRecorded',
      'MembershipIntended',
      'MerchantCategoryLearned',
      'MerchantCategoryUnlearned',
      'MerchantChoiceNoted',
      'NumbersReserved',
      'PasskeyRequested',
      'PasskeyUsed',
      'ProjectionRebuildBegan',
      'ProjectionRebuildCompared',
      'PushesDelivered',
      'RefreshTokenRotated',
      'RelatedDocumentRejected',
      'RequestAnswered',
      'RequestKeyClaimed',
      'RequestKeyReleased',
      'RuleApplicationProgressed',
      'RuleApplicationUndoProgressed',
      'SaleAwaited',
      'SaleCustomerChosen',
      'ValueClaimed',
      'WebhookProgressed',
    ]);
    const known = [
      'account',
      'branch',
      'category',
      'category-rule',
      'customer',
      'dead-letter',
      'error-log',
      'factor',
      'forwarder',
      // An inspection's audit entries refer to the record that was read.
      'inspection',
      'integration-key',
      'job',
      'notification',
      'operator',
      'policy',
      'projection',
      'role',
      'rule-application',
      'sale',
      'session',
      'tenant',
      'transaction',
      'user',
      'webhook',
    ];
    expect([...new Set(declared.flatMap(([, { audit }]) => audit?.entity ?? []))].sort()).toEqual(known);
  });
  test('mark every digest that grants access as secret', () => {
    const secrets = declared.flatMap(([type, { schema }]) =>
      markedFields(schema, 'secret').map((path) => `${type} ${path}`),
    );
    expect(secrets.sort()).toEqual([
      'AuthenticatorAppAdded recoveryCodeHashes[]',
      'AuthenticatorAppRequested sealedSecret',
      'IntegrationKeyCreated secretHash',
      'IntegrationKeyRotated secretHash',
      'OperatorCreated passwordHash',
      'OperatorPasswordChanged passwordHash',
      'PasskeyAdded recoveryCodeHashes[]',
      'PushSubscribed endpoint',
      'PushSubscribed keys.auth',
      'PushSubscribed keys.p256dh',
      'RecoveryCodeUsed codeHash',
      'RefreshTokenRotated refreshTokenHash',
      'SessionStarted refreshTokenHash',
      'TenantCreated owner.passwordHash',
      'UserCreated passwordHash',
      'UserInvited codeHash',
      'UserPasswordChanged passwordHash',
    ]);
  });
  test('mark personal data as personal', () => {
    const fieldsOf = (type: string) => {
      const found = declared.find(([name]) => name === type);
      return found ? markedFields(found[1].schema, 'personal') : [];
    };
    expect(fieldsOf('UserUpdated')).toEqual(['changes.fullName', 'changes.email', 'changes.phone']);
    expect(fieldsOf('TenantCreated')).toEqual(['owner.fullName', 'owner.email']);
    expect(fieldsOf('SaleAccepted')).toEqual([
      'customer.name',
      'customer.email',
      'customer.phone',
      'customer.taxNumber',
      'metadata',
    ]);
    expect(fieldsOf('CustomerCreated')).toEqual(
      expect.arrayContaining(['name', 'taxNumber', 'nationalId', 'email', 'phone', 'address', 'city', 'notes']),
    );
  });
});

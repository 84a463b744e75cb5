import fc, { type Arbitrary } from 'fast-check';

export const DATES = ['1900-01-01', '2024-02-29', '2025-12-31', '2026-01-01', '2026-06-30', '2031-05-05', '9999-12-31'];
export const TYPES = ['COLLECTION', 'PAYMENT', 'TRANSFER', 'ADJUSTMENT', 'OPENING_BALANCE'] as const;
export const ACCOUNT_TYPES = [
  'SUPPLIER',
  'EMPLOYEE',
  'CASH',
  'BANK',
  'POS',
  'CREDIT_CARD',
  'EXPENSE',
  'INCOME',
  'TAX',
  'EQUITY',
  'OTHER',
] as const;

/** Strings in several spellings and scripts that share words and prefixes. */
export const TEXTS = [
  'Kira İstanbul',
  'ISTANBUL kirası',
  'Monthly fee',
  'monthly-fee 2026/03',
  "O'Brien & Söhne",
  'Çay, şeker',
  'FEE',
];

/**
 * Ways to make a request invalid. The separate `nulls` flag sends null for omitted fields, which keeps the request
 * valid.
 */
export const SPOILS = ['lacks', 'extra', 'amount', 'unknown', 'malformed', 'currency', 'date', 'field'] as const;

/** A number that selects one of the records that exist when the step runs. */
const choice = fc.nat({ max: 1_000 });
const date = fc.constantFrom(...DATES);
const direction = fc.constantFrom('IN' as const, 'OUT' as const);
const seldom = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const often = seldom.map((value) => !value);
/** Generates null in five of six cases, and a value otherwise. */
const rarely = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const maybe = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | null> => fc.option(arbitrary, { freq: 2 });

/**
 * An amount of at most 18 digits, in minor units of a currency with three decimal places. Truncated for currencies with
 * fewer decimal places.
 */
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(1n, 99_999n) },
  { weight: 2, arbitrary: fc.bigInt(1n, 10n ** 11n) },
  { weight: 1, arbitrary: fc.bigInt(10n ** 14n, 10n ** 18n - 1n) },
  { weight: 1, arbitrary: fc.constantFrom(1n, 10n ** 18n - 1n) },
);

/** An amount in signed minor units, so small that sums of such amounts are valid. */
const smallAmount = fc.bigInt(-(10n ** 9n), 10n ** 9n).filter((minor) => minor !== 0n);

const entry = fc.record({
  type: fc.constantFrom(...TYPES),
  date,
  amount,
  asNumber: fc.boolean(),
  direction,
  payee: fc.constantFrom('customerId' as const, 'counterAccountId' as const, 'expenseItemId' as const),
  subject: fc.constantFrom('customerId' as const, 'accountId' as const),
  customer: choice,
  account: choice,
  counter: choice,
  branch: rarely(choice),
  category: rarely(choice),
  nulls: fc.boolean(),
  description: maybe(fc.constantFrom(...TEXTS)),
  reference: rarely(fc.constantFrom(...TEXTS)),
});

const saleLine = fc.record({
  quantity: fc.constantFrom('1', '2', '2.5', '0.333', '0.5', '0.000001', '1000'),
  unitPrice: fc.oneof(
    { weight: 4, arbitrary: fc.nat({ max: 100_000 }).map((cents) => (cents / 100).toFixed(2)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('0', '0.01', '0.000001', '19.999999', '99999999999.999999', '999999999999999'),
    },
  ),
  /** The discount as a percentage of the price. */
  discount: fc.constantFrom(0n, 0n, 0n, 1n, 33n, 100n),
  taxRate: fc.constantFrom('0', '0', '7', '19', '8.875', '100', '0.0001'),
});
const payment = fc.record({ method: fc.constantFrom('CASH', 'CARD', 'BANK'), amount, account: maybe(choice) });
const payments = fc.array(payment, { maxLength: 3 });
const document = { date, hour: fc.nat({ max: 23 }), payments, branch: rarely(choice) };

const arbitraries = {
  customer: fc.record({ opening: maybe(fc.record({ amount, direction, date })), isActive: often, asAccount: seldom }),
  account: fc.record({ type: fc.constantFrom(...ACCOUNT_TYPES), isActive: often, isDefault: seldom }),
  entry: fc.record({ entry, spoil: rarely(fc.constantFrom(...SPOILS)), spoilBy: choice }),
  mistake: fc.record({ entry }),
  sale: fc.record({
    ...document,
    lines: fc.array(saleLine, { minLength: 1, maxLength: 3 }),
    customer: fc.constantFrom('none' as const, 'code' as const, 'link' as const, 'both' as const),
    choice,
    saysTotal: fc.boolean(),
    /** Whether the sale belongs to the branch that is often inactive. */
    isAtShut: seldom,
    isOverdiscounted: seldom,
  }),
  return: fc.record({ ...document, sale: choice, share: fc.bigInt(0n, 110n), taxRate: fc.constantFrom('0', '19') }),
  cancellation: fc.record({ date, sale: choice, branch: rarely(choice) }),
  journal: fc.record({
    lines: fc.array(fc.record({ choice, isCustomer: fc.boolean(), amount: smallAmount }), {
      minLength: 1,
      maxLength: 5,
    }),
    balancing: choice,
    surplus: rarely(smallAmount),
    date,
    category: rarely(choice),
    description: maybe(fc.constantFrom(...TEXTS)),
  }),
  'open or shut branch': fc.record({}),
  cancel: fc.record({ entry: choice, on: maybe(date) }),
  correct: fc.record({ entry: choice, on: maybe(date), by: entry }),
  categorize: fc.record({ entry: choice, category: maybe(choice) }),
  'change customer': fc.record({
    customer: choice,
    isActive: fc.option(often),
    rename: fc.boolean(),
    asAccount: seldom,
  }),
  'change account': fc.record({
    account: choice,
    isActive: fc.option(often),
    isDefault: fc.option(fc.boolean()),
    rename: fc.boolean(),
  }),
  'delete customer': fc.record({ customer: choice, asAccount: seldom }),
  'delete account': fc.record({ account: choice }),
  audit: fc.record({}),
} as const;

type Kinds = typeof arbitraries;
export type StepKind = keyof Kinds;
type Made<A> = A extends Arbitrary<infer T> ? T : never;
export type StepOf<K extends StepKind> = { readonly kind: K } & Readonly<Made<Kinds[K]>>;
export type Step = { [K in StepKind]: StepOf<K> }[StepKind];
export type EntryStep = StepOf<'mistake'>['entry'];
export type Spoil = (typeof SPOILS)[number];

const WEIGHTS: Readonly<Record<StepKind, number>> = {
  customer: 4,
  account: 3,
  entry: 12,
  mistake: 2,
  sale: 6,
  return: 3,
  cancellation: 2,
  'open or shut branch': 3,
  journal: 4,
  cancel: 4,
  correct: 4,
  categorize: 5,
  'change customer': 2,
  'change account': 2,
  'delete customer': 1,
  'delete account': 1,
  audit: 1,
};

const oneStep: Arbitrary<Step> = fc.oneof(
  ...(Object.keys(arbitraries) as StepKind[]).map((kind) => ({
    weight: WEIGHTS[kind],
    arbitrary: (arbitraries[kind] as Arbitrary<object>).map((facts) => ({ kind, ...facts }) as Step),
  })),
);

export const someSteps = (minLength: number, maxLength: number): Arbitrary<Step[]> =>
  fc.array(oneStep, { minLength, maxLength, size: 'max' });

/** Generates `count` steps of the given kinds, determined by a seed. */
export function stepsOf(kinds: readonly StepKind[], count: number, seed: number): Step[] {
  const chosen = oneStep.filter(({ kind }) => kinds.includes(kind));
  return fc.sample(chosen, { numRuns: count, seed });
}

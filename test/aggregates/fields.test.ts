import fc from 'fast-check';
import { z } from 'zod';
import { Email, EntryDate, InstantInput } from '../../src/aggregates/fields.js';
import { Currency, MoneyInput, MoneyOrZeroInput } from '../../src/aggregates/money.js';
import { CreateWebPushSubscription } from '../../src/aggregates/push-subscription.aggregate.js';

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** Returns a text field's documented pattern, but not its documented format. */
const documentedPattern = (schema: z.ZodType): RegExp => {
  const { pattern = '' } = z.toJSONSchema(schema, { io: 'input' });
  return new RegExp(pattern);
};

describe('An e-mail address', () => {
  test.each([
    ['ada@example.com'],
    ["o'neil+books@mail.example.co.uk"],
    [`${'a'.repeat(64)}@example.com`],
    [`ada@${'d'.repeat(63)}.com`],
    ['ada@xn--bcher-kva.example'],
  ])('can be %s', (address) => {
    expect(takes(Email, address)).toBe(true);
  });

  test.each([
    ['more than 64 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['a part of the domain with more than 63', `ada@${'d'.repeat(64)}.com`],
    ['a part of the domain that ends in a hyphen', 'ada@example-.com'],
    ['a part of the domain that begins with one', 'ada@-example.com'],
    ['more than 254 characters', `ada@${'d.'.repeat(125)}com`],
    ['no domain', 'ada@'],
    ['two @', 'ada@b@example.com'],
    ['two adjacent dots', 'ada..b@example.com'],
    ['a dot before the @', 'ada.@example.com'],
    ['a space', 'ada lovelace@example.com'],
  ])('cannot have %s', (_, address) => {
    expect(takes(Email, address)).toBe(false);
  });

  test('is validated quickly, whatever its content', () => {
    const started = performance.now();
    takes(Email, `${'a.'.repeat(120)}@`);
    takes(Email, `a@${'a-'.repeat(120)}`);
    takes(Email, `a@${'a.'.repeat(120)}-`);
    expect(performance.now() - started).toBeLessThan(200);
  });
});

describe('The OpenAPI document specifies exactly the accepted values for', () => {
  test('amounts of money', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '9', '.', '-'), maxLength: 20 });
    for (const schema of [MoneyInput, MoneyOrZeroInput])
      fc.assert(
        fc.property(digits, (text) => {
          expect([text, takes(schema, text)]).toEqual([text, documentedPattern(schema).test(text)]);
        }),
      );
  });

  test('amounts at their bounds, as numbers', () => {
    const { minimum = 0, maximum = 0 } = z.toJSONSchema(MoneyInput, { io: 'input' });
    expect([minimum, maximum]).toEqual([0.0001, 999_999_999_999_999]);
    for (const [amount, isTaken] of [
      [minimum, true],
      [maximum, true],
      [0, false],
      [maximum + 1, false],
    ] as const)
      // prettier-ignore
      expect([amount, takes(MoneyInput, amount)]).toEqual([amount, isTaken]);
  });

  test('dates of entries', () => {
    const dates = fc.date({ min: new Date('1800-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (instant) => {
        const date = instant.toISOString().slice(0, 10);
        expect([date, takes(EntryDate, date)]).toEqual([date, documentedPattern(EntryDate).test(date)]);
      }),
    );
    // The `date` format accepts only dates that exist.
    expect([takes(EntryDate, '2023-02-29'), z.toJSONSchema(EntryDate).format]).toEqual([false, 'date']);
  });

  test('the encryption keys of push subscriptions', () => {
    const subscription = (p256dh: string, auth: string): boolean =>
      takes(CreateWebPushSubscription, { endpoint: 'https://push.example/1', keys: { p256dh, auth } });
    const bytes = (length: number): fc.Arbitrary<string> =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((each) => Buffer.from(each).toString('base64url'));
    const point = bytes(64).map((text) => Buffer.concat([Buffer.of(4), Buffer.from(text, 'base64url')]));
    fc.assert(
      fc.property(point, bytes(16), fc.constantFrom('', '='), (key, auth, padding) => {
        expect(subscription(key.toString('base64url') + padding, `${auth}${padding}${padding}`)).toBe(true);
      }),
    );
    const good = Buffer.alloc(65, 4).toString('base64url');
    const auth = Buffer.alloc(16).toString('base64url');
    for (const [key, secret] of [
      [Buffer.alloc(65, 3).toString('base64url'), auth],
      [Buffer.alloc(64, 4).toString('base64url'), auth],
      [Buffer.alloc(66, 4).toString('base64url'), auth],
      [good.replace(/.$/, 'B'), auth],
      [good.replace(/..$/, '+/'), auth],
      [good, Buffer.alloc(15).toString('base64url')],
      [good, Buffer.alloc(17).toString('base64url')],
      [good, auth.replace(/.$/, 'B')],
    ] as const)
      expect([key, secret, subscription(key, secret)]).toEqual([key, secret, false]);
  });
});

test('A field with a wrong form has one error, even if further rules also fail', () => {
  const wrong: readonly (readonly [z.ZodType, string])[] = [
    [EntryDate, '01.02.2026'],
    [InstantInput, '01.02.2026 08:30'],
    [Currency, 'Euro'],
  ];
  for (const [field, text] of wrong) expect(field.safeParse(text).error?.issues).toHaveLength(1);
});

// Entering transactions manually, and correcting mistakes in them.
import * as iso4217 from 'dinero.js/currencies';
import { currencyDigits } from '../../src/aggregates/money.js';
import { amountIn, amountOf, amountWords, digitsOf, taxIn, unitsOf } from '../../console/src/parts/amount.js';
import { instantOf, instantsOf, today } from '../../console/src/parts/zone-days.js';
import type { Page } from 'playwright-core';
import type { ConsoleService, Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row, title } = handlesOf(() => page);

/** Corrects the transaction on the page and waits for its replacement. */
async function correct(entries: Readonly<Record<string, string>>): Promise<void> {
  await button('Correct').click();
  for (const [label, text] of Object.entries(entries)) await dialog().getByLabel(label).fill(text);
  await dialog().getByRole('button', { name: 'Book correction' }).click();
  await page.getByRole('region', { name: 'Related transactions' }).getByText('Replaces').waitFor();
}
type Answer = { readonly data: { readonly id: string } };
const mine = <T>(path: string, body?: unknown): Promise<T> =>
  service.call(path, { token: shop.ownerToken, ...(body !== undefined && { body }) });
const choose = async (within: ReturnType<typeof dialog>, label: string, option: string): Promise<void> => {
  await within.getByLabel(label).first().click();
  await page.getByRole('option', { name: option }).click();
};

test.each([
  ['1.250,00', ',', '1250.00'],
  ['1,250.00', ',', '1250.00'],
  ['1 250,5', ',', '1250.5'],
  ['1.250', ',', '1250'],
  ['1.250', '.', '1.250'],
  ['1,250', '.', '1250'],
  ['1250.00', ',', '1250.00'],
  ['-0.125', ',', '-0.125'],
  ['−1.250,5', ',', '-1250.5'],
  ['1.250.000,5', '.', '1250000.5'],
  ['1.250.00', '.', '1.250.00'],
  ['ten', '.', 'ten'],
])('With decimals after “%2$s”, the amount “%s” is read as %s', (typed, decimal, read) => {
  expect(amountOf(typed, decimal)).toBe(read);
});

test('A negative amount begins with the same minus sign in every language', () => {
  expect(amountWords('-1250.50', 'en-GB')).toBe('−1,250.50');
  expect(amountWords('-1250.50', 'de-DE')).toBe('−1.250,50');
  expect(amountOf(amountWords('-1250.50', 'de-DE'), ',')).toBe('-1250.50');
});

test('Tax contained in a gross amount is exact to the smallest unit of the currency', () => {
  const [gross, rate] = [unitsOf('119.00') ?? 0n, unitsOf('19') ?? 0n];
  expect(amountIn(taxIn(gross, rate), 2)).toBe('19.00');
  expect(amountIn(taxIn(unitsOf('10.00') ?? 0n, unitsOf('7') ?? 0n), 2)).toBe('0.65');
  expect(amountIn(unitsOf('-1234.5') ?? 0n, 0)).toBe('-1235');
});

test('Every currency has the same decimals as in the service', () => {
  const currencies = Object.keys(iso4217);
  expect(currencies.map((code) => [code, digitsOf(code)])).toEqual(
    currencies.map((code) => [code, currencyDigits(code)]),
  );
});

test('A year that is still being typed, or that no calendar has, breaks no page', () => {
  expect(instantOf('0002-02-28T00:00:00', 'Europe/Berlin')).toMatch(/^0002-02-2[78]T/);
  expect(instantOf('20266-02-28T00:00:00', 'Europe/Berlin')).toBe('20266-02-28T00:00:00');
  expect(() => instantsOf({ dateFrom: '0020-02-28', dateTo: '20266-02-28' }, 'Europe/Berlin')).not.toThrow();
});

test('A day begins and ends in the time zone of the tenant, even when the clocks change', () => {
  expect(instantOf('2026-03-29T00:00:00', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
  expect(instantsOf({ dateFrom: '2026-03-29', dateTo: '2026-03-29' }, 'Europe/Berlin')).toEqual({
    dateFrom: '2026-03-28T23:00:00.000Z',
    dateTo: '2026-03-29T21:59:59.999Z',
  });
  expect(instantOf('2026-07-01T09:30', 'Asia/Kolkata')).toBe('2026-07-01T04:00:00.000Z');
});

/** A time zone in which the current date differs from the date in the browser's time zone. */
const ELSEWHERE = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].find((zone) => today(zone) !== today('Europe/Berlin'));

test('A new transaction is dated today in the time zone of the tenant, not of the browser', async () => {
  const owner = { fullName: 'Tia Far', email: 'tia@far.example', password: 'a long enough password' };
  await service.call('/api/platform/tenants', {
    token: await service.operator(),
    body: { name: 'Far away', slug: 'far-away', currency: 'EUR', timeZone: ELSEWHERE, owner },
  });
  await visitor.signIn(owner, '/transactions');
  await button('Record a transaction').click();
  const shown = await dialog().getByLabel('Date').inputValue();
  expect(shown).toBe(today(ELSEWHERE ?? ''));
  expect(shown).not.toBe(today('Europe/Berlin'));
});

test('A mistaken amount is corrected in one dialog, and original, reversal and replacement lead to each other', async () => {
  const { data: customer } = await mine<{ data: { id: string } }>('/api/customers', { name: 'Northwind Foods' });
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await button('Record a transaction').click();
  await dialog().getByLabel('Amount').fill('1,200.50');
  await dialog().getByLabel('Into account').first().click();
  // The dialog offers only accounts that receive money, each with its code and balance.
  await page.getByRole('option', { name: 'Bank' }).getByText('0.00 EUR').waitFor();
  expect(await page.getByRole('option', { name: 'Northwind Foods' }).count()).toBe(0);
  await page.getByRole('option', { name: 'Bank' }).click();
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await title('Collection').waitFor();

  await button('Correct').click();
  await dialog().getByLabel('Reason').fill('Typed one zero too many.');
  expect(await dialog().getByLabel('Amount').inputValue()).toBe('1200.50');
  await dialog().getByLabel('Amount').fill('120.05');
  await dialog().getByRole('button', { name: 'Book correction' }).click();
  const story = page.getByRole('region', { name: 'Related transactions' });
  await story.getByText('Replaces').waitFor();
  await page.getByText('+120.05 EUR').waitFor();
  await story.getByRole('link', { name: 'the original transaction' }).click();
  await story.getByText('Reason: Typed one zero too many.').waitFor();
  await story.getByText(/^Cancelled on \d+ \w+ \d{4} by Olga Owner/).waitFor();
  await story.getByRole('link', { name: 'view reversal' }).click();
  await title('Reversal (collection)').waitFor();
  await story.getByRole('link', { name: 'the original transaction' }).click();
  await story.getByRole('link', { name: 'the corrected transaction' }).click();
  await page.getByText('+120.05 EUR').waitFor();
});

test('An opening balance entered with its customer can be corrected, and names the person who recorded it', async () => {
  const { data: customer } = await mine<Answer>('/api/customers', {
    name: 'Opening Oysters',
    openingBalance: { amount: '595.00', direction: 'OUT', date: '2026-01-01' },
  });
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await page.getByRole('link', { name: 'Opening balance' }).first().click();
  await title('Opening balance').waitFor();
  await page.getByRole('region', { name: 'Details' }).getByText('Olga Owner').waitFor();
  await correct({ Reason: 'Two digits swapped.', Amount: '559.00' });
  await page.getByText('−559.00 EUR').waitFor();
});

test.each(['ADJUSTMENT', 'JOURNAL'])(
  'The replacement of a corrected transaction (%s) keeps its branch and the category that a user has chosen',
  async (type) => {
    const { data: branch } = await mine<Answer>('/api/branches', { code: `Q-${type}`, name: `Quay of ${type}` });
    const categories = await mine<{ data: { id: string; name: string; direction: string }[] }>(
      '/api/transaction-categories',
    );
    const category = categories.data.find(({ direction }) => direction === 'OUT');
    const { data: cash } = await mine<Answer>('/api/accounts', { name: `Cash of ${type}`, type: 'CASH' });
    const { data: cost } = await mine<Answer>('/api/accounts', { name: `Cost of ${type}`, type: 'EXPENSE' });
    const entry = { type, date: today('UTC'), description: 'Quay rnet', branchId: branch.id, categoryId: category?.id };
    const { data: original } = await mine<Answer>('/api/transactions', {
      ...entry,
      ...(type === 'JOURNAL'
        ? {
            lines: [
              { accountId: cost.id, debit: '10.00' },
              { accountId: cash.id, credit: '10.00' },
            ],
          }
        : { amount: '10.00', direction: 'OUT', accountId: cash.id }),
    });
    await visitor.signIn(shop.owner, `/transactions/${original.id}`);
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText(`Quay of ${type}`).waitFor();
    await details.getByText(category?.name ?? '', { exact: true }).waitFor();
    await correct({ Reason: 'A typing error.', Description: 'Quay rent' });
    await details.getByText('Quay rent').waitFor();
    await details.getByText(`Quay of ${type}`).waitFor();
    await details.getByText(category?.name ?? '', { exact: true }).waitFor();
  },
);

test('A journal entry shows whether it balances while the user types, and splits the tax from a gross amount', async () => {
  visitor.expects(/400/);
  await mine('/api/accounts', { name: 'Rent', type: 'EXPENSE' });
  await visitor.signIn(shop.owner, '/transactions');
  await button('Journal entry').click();
  const line = (number: number) => dialog().getByRole('group', { name: `Line ${number}` });
  await choose(line(1), 'Account', 'Rent');
  await line(1).getByLabel('Debit').fill('1,190.00');
  await dialog().getByText('1,190.00 missing on the credit side').waitFor();
  await dialog().getByLabel('Tax rate, %').fill('19');
  await dialog().getByRole('button', { name: 'Split tax out of line 1' }).click();
  expect(await line(1).getByLabel('Debit').inputValue()).toBe('1000.00');
  expect(await line(2).getByLabel('Debit').inputValue()).toBe('190.00');
  await choose(line(2), 'Account', 'Tax');
  await line(3).getByLabel('Credit').fill('1190');
  await dialog().getByText('Balanced').waitFor();
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  // The last line has no account, so the dialog rejects the entry.
  await dialog().getByText('Correct the marked field.').waitFor();
  await choose(line(3), 'Account', 'Bank');
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await title('Journal entry').waitFor();
  const total = page
    .getByRole('region', { name: 'Postings' })
    .last()
    .locator('[data-label="Debit"]', { hasText: '1,190.00' });
  await total.waitFor();
  // The page shows the note in the row of the line to which it belongs.
  await row('Tax 19%').getByText('Tax payable').waitFor();
  await visitor.goTo('/reports/general-ledger?size=100');
  await row('Tax 19%').getByText('Tax payable').waitFor();
});

test('A journal entry without amounts is marked at the amounts of each line, and at the missing account', async () => {
  visitor.expects(/400/);
  await visitor.signIn(shop.owner, '/transactions');
  await button('Journal entry').click();
  const line = (number: number) => dialog().getByRole('group', { name: `Line ${number}` });
  await choose(line(1), 'Account', 'Bank');
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await dialog().getByText('Correct the 5 marked fields.').waitFor();
  const marked = (number: number, label: string) => line(number).getByLabel(label).first().getAttribute('aria-invalid');
  for (const number of [1, 2])
    expect([await marked(number, 'Debit'), await marked(number, 'Credit')]).toEqual(['true', 'true']);
  expect([await marked(1, 'Account'), await marked(2, 'Account')]).toEqual([null, 'true']);
  expect(await dialog().getByText('A line requires either a debit or a credit.').count()).toBe(4);
  expect(await dialog().getByText('lines[').count()).toBe(0);
});

test('Escape asks before it discards a filled form, and closes an empty one', async () => {
  await visitor.signIn(shop.owner, '/branches');
  await button('Create a branch').click();
  await dialog().waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await button('Create a branch').click();
  await dialog().getByLabel('Code').fill('NORTH');
  await page.keyboard.press('Escape');
  await button('Keep editing').click();
  await button('Keep editing').waitFor({ state: 'detached' });
  expect(await dialog().getByLabel('Code').inputValue()).toBe('NORTH');
  await page.keyboard.press('Escape');
  await button('Discard').click();
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  await button('Create a branch').click();
  expect(await dialog().getByLabel('Code').inputValue()).toBe('');
});

test('Back asks before it discards a filled form', async () => {
  await visitor.signIn(shop.owner, '/customers');
  await page.getByRole('link', { name: 'Branches' }).click();
  await button('Create a branch').click();
  await dialog().getByLabel('Code').fill('SOUTH');
  await page.evaluate('history.back()');
  await button('Keep editing').click();
  await button('Keep editing').waitFor({ state: 'detached' });
  await page.waitForURL(/\/branches$/);
  expect(await dialog().getByLabel('Code').inputValue()).toBe('SOUTH');
  await page.evaluate('history.back()');
  await button('Discard').click();
  await title('Customers').waitFor();
  expect(await dialog().count()).toBe(0);
});

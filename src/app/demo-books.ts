import { CommandBus } from '@nestjs/cqrs';
import type { AccountType } from '../aggregates/account.aggregate.js';
import { seedCategories } from '../aggregates/tenant-seed-categories.js';
import type { CreateTransaction as Entry } from '../aggregates/transaction-input.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { CreateAccount } from '../commands/account.commands.js';
import { ClosePeriod } from '../commands/tenant.commands.js';
import { CreateTransaction } from '../commands/transaction.commands.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { Service } from './service.js';

type Accounts = Readonly<Record<'bank' | 'tax' | 'openingBalances' | 'supplier' | 'goods' | 'rent' | 'fees', string>>;

/** Returns the first day of each of the twelve months up to and including the date's month. */
function monthsUntil(date: string): string[] {
  const [year = 0, month = 0] = date.split('-').map(Number);
  const first = (back: number): string => new Date(Date.UTC(year, month - back, 1)).toISOString().slice(0, 10);
  return Array.from({ length: 12 }, (_, n) => first(12 - n));
}

/** Records a bookkeeper's entries for a year of sales, then closes the previous year. */
export async function seedBooks({ app, engines }: Service, tenantId: string): Promise<void> {
  const commands = app.get(CommandBus);
  const { state } = await app.get(RecordReader).read(tenant, PLATFORM_TENANT, tenantId);
  if (state.status === 'absent') return;
  const target = () => ({ tenantId, id: engines.ids.next() });
  const open = async (type: AccountType, name: string, code: string): Promise<string> =>
    (await commands.execute(new CreateAccount(target(), CreateAccount.schema.parse({ type, name, code })))).id;
  const [supplier, goods, rent, fees] = [
    await open('SUPPLIER', 'Roastery Supplies GmbH', 'ROASTERY'),
    await open('EXPENSE', 'Goods purchased', '700'),
    await open('EXPENSE', 'Office rent', '710'),
    await open('EXPENSE', 'Bank fees', '720'),
  ];
  const yesterday = new Date(engines.clock.nowMs() - 86_400_000).toISOString().slice(0, 10);
  const entries = entriesOf({ ...state.seeds.accounts, supplier, goods, rent, fees }, tenantId, monthsUntil(yesterday));
  await Promise.all(
    entries.map((entry) => commands.execute(new CreateTransaction(target(), CreateTransaction.schema.parse(entry)))),
  );
  const through = `${Number(yesterday.slice(0, 4)) - 1}-12-31`;
  await commands.execute(
    new ClosePeriod({ tenantId: PLATFORM_TENANT, id: tenantId }, { through, note: 'Year closed.' }),
  );
}

function entriesOf(accounts: Accounts, tenantId: string, months: readonly string[]): Entry[] {
  const named = new Map(seedCategories(tenantId).map(({ id, category }) => [category.name, id]));
  const { bank: accountId, supplier, goods, tax, rent, fees, openingBalances } = accounts;
  const categoryId = (name: string) => ({ categoryId: named.get(name) ?? null });
  const opening: Entry = {
    ...{ type: 'JOURNAL', date: months[0] ?? '', description: 'Opening balances' },
    lines: [
      { accountId, debit: '25000.00' },
      { accountId: openingBalances, credit: '25000.00' },
    ],
  };
  const monthly = months.flatMap((date, n): Entry[] => {
    const reference = `RS-${date.slice(0, 7)}`;
    const [net, vat, gross] = [(400 + 20 * n).toFixed(2), (76 + 3.8 * n).toFixed(2), (476 + 23.8 * n).toFixed(2)];
    return [
      {
        ...{ type: 'JOURNAL', date, reference, description: 'Bill for coffee beans' },
        lines: [
          { accountId: goods, debit: net },
          { accountId: tax, debit: vat },
          { accountId: supplier, credit: gross },
        ],
      },
      { ...{ type: 'PAYMENT', date, amount: gross, reference }, accountId, counterAccountId: supplier },
      {
        ...{ type: 'PAYMENT', date, amount: '650.00', description: 'Office rent', accountId },
        ...{ expenseItemId: rent, ...categoryId('Rent and leases') },
      },
      {
        ...{ type: 'PAYMENT', date, amount: '9.90', description: 'Bank fee', accountId },
        ...{ expenseItemId: fees, ...categoryId('Bank fees and charges') },
      },
    ];
  });
  return [opening, ...monthly];
}

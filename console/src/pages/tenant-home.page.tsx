import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountsQuery, transactionsQuery, type Transaction } from '../api/books';
import { useMay, useMe } from '../api/me';
import { ageingQuery, balanceSheetQuery, profitAndLossQuery } from '../api/reports';
import { amountIn, digitsOf } from '../parts/amount';
import { BooksAttention } from '../parts/books-attention';
import { DataTable, type Column } from '../parts/data-table';
import { Money } from '../parts/money';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { Tiles, type TileProps } from '../parts/tile';
import { transactionColumns } from '../parts/transaction-columns';
import { useZone } from '../parts/zone';
import { today } from '../parts/zone-days';
import { t } from '../messages/catalogue';

const LATEST = { pageNumber: 1, pageSize: 8 };
const MONEY = {
  ...{ pageNumber: 1, pageSize: 8, isActive: true, sort: 'name' as const },
  type: ['CASH' as const, 'BANK' as const, 'POS' as const],
};

/** Start page of a tenant's users: items that require attention, key figures, and the latest transactions. */
export const TenantHomePage = (): ReactNode => (
  <>
    <PageHeader title={useMe()?.tenant?.name ?? t('Home')} />
    <BooksAttention />
    <Figures />
    {useMay('transactions.read') && <Latest />}
  </>
);

/**
 * Returns the money accounts with their balances of a day. An account's own balance also includes transactions with a
 * later date. It is shown only to users who may not read reports.
 */
function useMoney(day: string, mayReport: boolean) {
  const money = useQuery({ ...accountsQuery(MONEY), enabled: useMay('accounts.read') });
  const sheet = useQuery({ ...balanceSheetQuery({ asOf: day }), enabled: mayReport });
  const rows = sheet.data?.sections.flatMap((section) => section.rows);
  const amountOf = (id: string) => rows?.find(({ accountId }) => accountId === id)?.amount;
  const own = mayReport && rows === undefined ? [] : (money.data?.items ?? []);
  const accounts = own.map((one) => ({
    ...one,
    balance: {
      ...one.balance,
      ...(rows && { amount: amountOf(one.id) ?? amountIn(0n, digitsOf(one.balance.currency)) }),
    },
  }));
  return { money, sheet, accounts };
}

function Figures(): ReactNode {
  const day = today(useZone());
  const mayReport = useMay('reports.read');
  const month = { from: `${day.slice(0, 7)}-01`, to: day };
  const { money, sheet, accounts } = useMoney(day, mayReport);
  const result = useQuery({ ...profitAndLossQuery(month), enabled: mayReport });
  const ageing = useQuery({ ...ageingQuery({ asOf: day }), enabled: mayReport });
  const tiles: TileProps[] = accounts.map(({ id, name, balance }) => ({
    name,
    value: (
      <Link search={{ accountId: id }} to="/transactions">
        <Money {...balance} />
      </Link>
    ),
  }));
  if (ageing.data) {
    const { total } = ageing.data.totals;
    tiles.push({
      name: total.startsWith('-') ? t('Owed to customers') : t('Owed by customers'),
      value: (
        <Link params={{ name: 'ageing' }} to="/reports/$name">
          <Money amount={total.replace(/^-/, '')} currency={ageing.data.currency} />
        </Link>
      ),
    });
  }
  if (result.data)
    tiles.push({
      name: t('Profit or loss this month'),
      value: (
        <Link params={{ name: 'profit-and-loss' }} search={month} to="/reports/$name">
          <Money amount={result.data.result} currency={result.data.currency} />
        </Link>
      ),
    });
  const queries = [money, sheet, result, ageing];
  const failed = queries.filter(({ error }) => error !== null);
  return (
    <>
      {failed[0] && (
        <ProblemView error={failed[0].error} onRetry={() => Promise.all(failed.map(({ refetch }) => refetch()))} />
      )}
      {tiles.length > 0 && <Tiles of={tiles} />}
      {queries.some(({ isLoading }) => isLoading) && <Skeleton height={72} mb="md" />}
    </>
  );
}

const columns: readonly Column<Transaction>[] = [
  ...transactionColumns,
  {
    key: 'who',
    header: t('Customer or account'),
    cell: ({ customerName, accountName }) => customerName ?? accountName ?? NOTHING,
  },
  {
    key: 'amount',
    narrow: 'end',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount, currency, direction }) => <Money amount={amount} currency={currency} direction={direction} />,
  },
];

function Latest(): ReactNode {
  const transactions = useQuery(transactionsQuery(LATEST));
  return (
    <Panel aside={<Link to="/transactions">{t('All transactions')}</Link>} title={t('Latest transactions')}>
      <DataTable
        columns={columns}
        empty={t('Nothing has been booked yet. Record a sale or a transaction, or create a partner key for your shop.')}
        keyOf={({ id }) => id}
        label={t('Latest transactions')}
        query={transactions}
        rows={transactions.data?.items}
      />
    </Panel>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { openItemsQuery, type OpenItems } from '../api/reports';
import { amountWords } from './amount';
import type { LoadedColumn } from './data-table';
import { Day } from './day';
import { ExportButton, useFileName } from './export-button';
import { count } from './figures';
import { NOTHING } from './nothing';
import { Panel } from './panel';
import { SortedTable } from './sorted-table';
import { typeWords } from './transaction-words';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

type Item = OpenItems['items'][number];

/** An amount without a transaction is included in the balance but belongs to no document. */
const columnsOf = (total: string): readonly LoadedColumn<Item>[] => [
  {
    key: 'date',
    header: t('Date'),
    sort: ({ date }) => date,
    total: t('Total'),
    cell: ({ date }) => (date === null ? NOTHING : <Day on={date} />),
  },
  {
    key: 'what',
    narrow: 'title',
    header: t('Document'),
    cell: (item) =>
      item.transactionId === null ? (
        t('Payments on account')
      ) : (
        <>
          <Link params={{ id: item.transactionId }} to="/transactions/$id">
            {typeWords(item)}
          </Link>
          <div className="k-nothing">{item.externalId ?? item.reference ?? item.description}</div>
        </>
      ),
  },
  {
    key: 'age',
    narrow: 'tablet',
    header: t('Age'),
    numeric: true,
    sort: ({ days }) => days,
    cell: ({ days }) => (days === null ? NOTHING : `${count(days)} d`),
  },
  {
    key: 'amount',
    header: t('Amount'),
    numeric: true,
    sort: ({ amount }) => Number(amount),
    cell: ({ amount }) => amountWords(amount),
  },
  {
    key: 'open',
    narrow: 'end',
    header: t('Open'),
    numeric: true,
    sort: ({ open }) => Number(open),
    cell: ({ open }) => amountWords(open),
    total: amountWords(total),
  },
];

/** A customer's unpaid items, oldest first. */
export function OpenItemsPanel({ id, name }: { id: string; name: string }): ReactNode {
  const items = useQuery(openItemsQuery(id));
  const fileName = useFileName('open-items', name, today(useZone()));
  return (
    <Panel
      aside={<ExportButton fileName={`${fileName}.csv`} path={`/api/customers/${id}/open-items`} />}
      title={t('Open items')}
    >
      <SortedTable
        columns={columnsOf(items.data?.total ?? '0')}
        empty={t('There are no open items.')}
        keyOf={({ transactionId }) => transactionId ?? 'rest'}
        label={t('Open items')}
        query={items}
        rows={items.data?.items}
      />
    </Panel>
  );
}

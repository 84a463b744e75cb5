import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import { changedBooks, transactionQuery } from '../api/books';
import { useMay } from '../api/me';
import { lacksRelated, MANUAL, saleQuery, type Sale } from '../api/sales';
import { BackLink } from '../parts/back-link';
import { amountWords } from '../parts/amount';
import { recordNameIn, summaryWords } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DataTable, type Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { Facts } from '../parts/facts';
import { percent, RATE_DIGITS } from '../parts/figures';
import { Instant } from '../parts/instant';
import { JsonView } from '../parts/json-view';
import { Figure, Money } from '../parts/money';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { CancelSale, RecordReturn } from '../parts/record-sale';
import { RejectedSale } from '../parts/sale-fix';
import { partnerWords, paymentWords, SaleStatus, saleTypeWords } from '../parts/sale-words';
import { Timeline } from '../parts/timeline';
import { typeWords } from '../parts/transaction-words';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/sales/$id');
const WAITING_MS = 2_000;

/** Refreshes the books when a sale that is being watched has been booked in the background. */
function useRefreshOnBooking(status: Sale['status'] | undefined): void {
  const cache = useQueryClient();
  const before = useRef(status);
  useEffect(() => {
    if (before.current !== undefined && before.current !== 'BOOKED' && status === 'BOOKED') changedBooks(cache);
    before.current = status;
  }, [cache, status]);
}

/**
 * A sale with its lines and payments. For a rejected sale, also shows the reason and the step that removes the cause.
 */
export function SalePage(): ReactNode {
  const { id } = route.useParams();
  const sale = useQuery({
    ...saleQuery(id),
    refetchInterval: ({ state }) => (state.data?.status === 'BOOKED' ? false : WAITING_MS),
  });
  useRefreshOnBooking(sale.data?.status);
  return (
    <>
      <PageHeader
        actions={sale.data && <Actions sale={sale.data} />}
        lead={<BackLink to="/sales">{t('All sales')}</BackLink>}
        title={sale.data === undefined ? t('Sale') : `${saleTypeWords(sale.data.type)} ${sale.data.externalId}`}
      />
      {sale.error !== null && <ProblemView error={sale.error} onRetry={sale.refetch} />}
      {sale.isPending && <Skeleton height={280} />}
      {sale.data !== undefined && (
        <>
          {sale.data.status === 'REJECTED' && <RejectedSale sale={sale.data} />}
          <About sale={sale.data} />
          <Lines sale={sale.data} />
          {sale.data.payments.length > 0 && <Payments sale={sale.data} />}
          {sale.data.metadata !== null && (
            <Panel title={t('Data from the partner')}>
              <JsonView label={t('Metadata')} value={sale.data.metadata} />
            </Panel>
          )}
          <SaleTimeline sale={sale.data} />
        </>
      )}
    </>
  );
}

/**
 * Actions on a manually recorded sale. For all other sales, the partner records returns and cancellations. A sale with
 * returns cannot be cancelled.
 */
function Actions({ sale }: { sale: Sale }): ReactNode {
  const mayRecord = useMay('transactions.write');
  const isManual = sale.type === 'SALE' && sale.status === 'BOOKED' && sale.sourceId === MANUAL;
  if (!isManual || !mayRecord || sale.relatedSales.some(({ type }) => type === 'CANCELLATION')) return null;
  return (
    <>
      <RecordReturn of={sale} />
      {sale.relatedSales.length === 0 && <CancelSale of={sale} />}
    </>
  );
}

const SaleLink = ({ id, children }: { id: string; children: ReactNode }): ReactNode => (
  <Link params={{ id }} to="/sales/$id">
    {children}
  </Link>
);

/** The number of the original sale, as received. It may be the number of a sale that does not exist. */
const relatedNumberOf = ({ relatedExternalId: number }: Sale): [string, ReactNode][] =>
  number === null ? [] : [[t('Number of the original sale'), <Copied key="of" value={number} what={t('number')} />]];

const About = ({ sale }: { sale: Sale }): ReactNode => (
  <Panel aside={<SaleStatus status={sale.status} />} title={t('Details')}>
    <Facts
      of={[
        [t('Total'), <Money amount={sale.total} currency={sale.currency} key="total" />],
        [t('Net'), <Money amount={sale.totalNet} currency={sale.currency} key="net" />],
        [t('Tax'), <Money amount={sale.totalTax} currency={sale.currency} key="tax" />],
        [t('Customer'), <CustomerOf key="customer" sale={sale} />],
        [t('Date'), <Day key="date" on={sale.date} />],
        [t('Occurred'), <Instant at={sale.occurredAt} key="occurred" />],
        [t('Branch'), sale.branchCode],
        [t('Partner'), partnerWords(sale.sourceId)],
        [t('Number'), <Copied key="number" value={sale.externalId} what={t('number')} />],
        ...relatedNumberOf(sale),
        ['ID', <Copied key="id" value={sale.id} what={t('sale ID')} />],
      ]}
    />
    <Related sale={sale} />
  </Panel>
);

function Related({ sale }: { sale: Sale }): ReactNode {
  const { transactionIds, relatedSales } = sale;
  const relatedSaleId = lacksRelated(sale) ? null : sale.relatedSaleId;
  if (transactionIds.length === 0 && relatedSaleId === null && relatedSales.length === 0) return null;
  return (
    <nav aria-label={t('Related pages')} className="k-links">
      {transactionIds.map((id) => (
        <TransactionLink id={id} key={id} />
      ))}
      {relatedSaleId !== null && <SaleLink id={relatedSaleId}>{t('Original sale')}</SaleLink>}
      {relatedSales.map(({ id, type, externalId }) => (
        <SaleLink id={id} key={id}>
          {saleTypeWords(type)} {externalId}
        </SaleLink>
      ))}
    </nav>
  );
}

function TransactionLink({ id }: { id: string }): ReactNode {
  const { data: found } = useQuery(transactionQuery(id));
  return (
    <Link params={{ id }} to="/transactions/$id">
      {found === undefined ? (
        t('Transaction')
      ) : (
        <>
          {typeWords(found)} <Money amount={found.amount} currency={found.currency} />
        </>
      )}
    </Link>
  );
}

/**
 * Describes an entry of a document or of its original sale. In the audit log, every document is a sale, and the entry
 * of a cancelled sale names the cancellation.
 */
function entryWords(entry: AuditEntry, { id, type }: Sale): string {
  if (entry.eventType === 'SaleCancelled')
    return t('Cancellation "{name}" booked', { name: recordNameIn(entry) ?? '' });
  const words = summaryWords(entry);
  const [sale, document] = [t('Sale'), entry.entityId === id ? saleTypeWords(type) : t('Original sale')];
  return words.startsWith(sale) ? document + words.slice(sale.length) : words;
}

/** The changes to a sale. A return or cancellation is booked on its original sale. */
function SaleTimeline({ sale }: { sale: Sale }): ReactNode {
  const { id, relatedSaleId, transactionIds } = sale;
  const [first = ''] = transactionIds;
  const { data: booked } = useQuery({ ...transactionQuery(first), enabled: relatedSaleId !== null && first !== '' });
  const also =
    booked && relatedSaleId !== null ? [{ entity: 'sale', entityId: relatedSaleId, at: booked.createdAt }] : [];
  return <Timeline also={also} entity="sale" id={id} wordsOf={(entry) => entryWords(entry, sale)} />;
}

const CustomerOf = ({ sale: { customerId, customerName } }: { sale: Sale }): ReactNode =>
  customerId === null ? (
    (customerName ?? '—')
  ) : (
    <Link params={{ id: customerId }} to="/customers/$id">
      {customerName ?? customerId}
    </Link>
  );

type Line = Sale['lines'][number];

const lineColumns = ({ totalNet, totalTax, total }: Sale): readonly Column<Line>[] => [
  {
    key: 'what',
    narrow: 'title',
    header: t('Description'),
    total: t('Total'),
    cell: ({ description, sku }) => (
      <>
        {description}
        {sku !== null && <div className="k-nothing">{sku}</div>}
      </>
    ),
  },
  { key: 'quantity', header: t('Quantity'), numeric: true, cell: ({ quantity }) => amountWords(quantity) },
  { key: 'price', header: t('Net price'), numeric: true, cell: ({ unitPrice }) => amountWords(unitPrice) },
  { key: 'discount', header: t('Discount'), numeric: true, cell: ({ discount }) => <Figure amount={discount} /> },
  { key: 'rate', header: t('Tax rate'), numeric: true, cell: ({ taxRate }) => percent(Number(taxRate), RATE_DIGITS) },
  {
    key: 'net',
    narrow: 'hidden',
    header: t('Net'),
    numeric: true,
    cell: ({ net }) => amountWords(net),
    total: amountWords(totalNet),
  },
  {
    key: 'tax',
    narrow: 'hidden',
    header: t('Tax'),
    numeric: true,
    cell: ({ tax }) => <Figure amount={tax} />,
    total: amountWords(totalTax),
  },
  {
    key: 'gross',
    narrow: 'end',
    header: t('Gross'),
    numeric: true,
    cell: ({ gross }) => amountWords(gross),
    total: amountWords(total),
  },
];

const Lines = ({ sale }: { sale: Sale }): ReactNode => (
  <Panel title={t('Lines')}>
    <DataTable
      columns={lineColumns(sale)}
      empty={t('The document has no lines.')}
      keyOf={(line) => String(sale.lines.indexOf(line))}
      label={t('Lines')}
      rows={sale.lines}
    />
  </Panel>
);

type Payment = Sale['payments'][number];

const paymentColumns: readonly Column<Payment>[] = [
  { key: 'method', header: t('Method'), cell: ({ method }) => paymentWords(method) },
  {
    key: 'account',
    header: t('Account code'),
    cell: ({ accountCode }) => accountCode ?? <span className="k-nothing">{t('Default')}</span>,
  },
  { key: 'amount', header: t('Amount'), numeric: true, cell: ({ amount }) => amountWords(amount) },
];

const Payments = ({ sale }: { sale: Sale }): ReactNode => (
  <Panel title={t('Payments')}>
    <DataTable
      columns={paymentColumns}
      empty={t('There are no payments.')}
      keyOf={(payment) => String(sale.payments.indexOf(payment))}
      label={t('Payments')}
      rows={sale.payments}
    />
  </Panel>
);

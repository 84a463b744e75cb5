import { Link } from '@tanstack/react-router';
import type { Transaction } from '../api/books';
import type { Column } from './data-table';
import { Day } from './day';
import { typeWords } from './transaction-words';
import { t } from '../messages/catalogue';

type Shown = Pick<Transaction, 'id' | 'date' | 'type' | 'documentEffect' | 'description' | 'reversalOf'>;

/** First columns of every list of transactions: the date, and the type with a link. */
export const transactionColumns: readonly Column<Shown>[] = [
  { key: 'date', header: t('Date'), cell: ({ date }) => <Day on={date} /> },
  {
    key: 'what',
    isWide: true,
    header: t('Transaction'),
    cell: (transaction) => (
      <>
        <Link params={{ id: transaction.id }} to="/transactions/$id">
          {typeWords(transaction)}
        </Link>
        <div className="k-nothing">{transaction.description}</div>
      </>
    ),
  },
];

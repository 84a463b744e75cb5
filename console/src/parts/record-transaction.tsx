import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changedBooks } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import { useIdempotency } from '../api/idempotency';
import { FormDialog } from './form-dialog';
import { JournalFields, journalBody, newJournal } from './journal-form';
import { newTransaction, transactionBody, TransactionFields } from './transaction-form';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

/** Posts a new transaction and opens its page. A retry after a lost response does not post the transaction again. */
function useRecording() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { headerFor, forget } = useIdempotency();
  return {
    post: (body: Shapes['CreateTransactionDto']) =>
      data(api.POST('/api/transactions', { params: { header: headerFor(body) }, body })),
    onDone: ({ id }: { readonly id: string }): void => {
      forget();
      changedBooks(cache);
      void navigate({ to: '/transactions/$id', params: { id } });
    },
  };
}

export function RecordTransaction({ customerId = '' }: { customerId?: string }): ReactNode {
  const { post, onDone } = useRecording();
  return (
    <FormDialog
      act={(values) => post(transactionBody(values))}
      buttonProps={{ variant: 'filled', size: customerId === '' ? 'sm' : 'xs' }}
      fields={(form) => <TransactionFields form={form} />}
      icon="plus"
      initial={newTransaction(today(useZone()), customerId)}
      label={t('Record a transaction')}
      onDone={onDone}
      send={t('verb| Record')}
    />
  );
}

export function RecordJournal(): ReactNode {
  const { post, onDone } = useRecording();
  return (
    <FormDialog
      act={(values) => post(journalBody(values))}
      buttonProps={{ size: 'sm' }}
      fields={(form) => <JournalFields form={form} />}
      icon="rows"
      initial={newJournal(today(useZone()))}
      label={t('Journal entry')}
      lead={t('Add as many lines as you need. Lines can post to customer accounts. Debits and credits must balance.')}
      onDone={onDone}
      send={t('verb| Record')}
      size="xl"
    />
  );
}

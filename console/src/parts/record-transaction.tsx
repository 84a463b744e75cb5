import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changedBooks } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import type { IdempotencyHeader } from '../api/idempotency';
import { FormDialog } from './form-dialog';
import { JournalFields, journalBody, newJournal } from './journal-form';
import { newTransaction, transactionBody, TransactionFields } from './transaction-form';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

/** Posts a new transaction and opens its page. */
function useRecording() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return {
    post: (body: Shapes['CreateTransactionDto'], header: IdempotencyHeader) =>
      data(api.POST('/api/transactions', { params: { header }, body })),
    onDone: ({ id }: { readonly id: string }): void => {
      changedBooks(cache);
      void navigate({ to: '/transactions/$id', params: { id } });
    },
  };
}

export function RecordTransaction({ customerId = '' }: { customerId?: string }): ReactNode {
  const { post, onDone } = useRecording();
  const zone = useZone();
  return (
    <FormDialog
      act={(values, header) => post(transactionBody(values), header)}
      buttonProps={{ variant: 'filled', size: customerId === '' ? 'sm' : 'xs' }}
      fields={(form) => <TransactionFields form={form} />}
      icon="plus"
      initial={() => newTransaction(today(zone), customerId)}
      label={t('Record a transaction')}
      onDone={onDone}
      send={t('verb| Record')}
    />
  );
}

export function RecordJournal(): ReactNode {
  const { post, onDone } = useRecording();
  const zone = useZone();
  return (
    <FormDialog
      act={(values, header) => post(journalBody(values), header)}
      buttonProps={{ size: 'sm' }}
      fields={(form) => <JournalFields form={form} />}
      icon="rows"
      initial={() => newJournal(today(zone))}
      label={t('Journal entry')}
      lead={t('Add as many lines as you need. Lines can post to customer accounts. Debits and credits must balance.')}
      onDone={onDone}
      send={t('verb| Record')}
      size="xl"
    />
  );
}

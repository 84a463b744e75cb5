import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changedBooks, type Transaction } from '../api/books';
import { api, data } from '../api/client';
import type { IdempotencyHeader } from '../api/idempotency';
import { useMay } from '../api/me';
import { periodsQuery } from '../api/reports';
import { AreaField, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { prefixed, scoped } from './form-lines';
import { JournalFields, journalBody, journalDraft } from './journal-form';
import { transactionBody, transactionDraft, TransactionFields } from './transaction-form';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

type Props = { readonly transaction: Transaction };

const REPLACEMENT = 'replacement.';

/** A reversal must not be dated before the original. */
const reversalDate = (transaction: Transaction, zone: string): string => {
  const now = today(zone);
  return now < transaction.date ? transaction.date : now;
};

const ReversalFields = ({ form }: { form: Form }): ReactNode => (
  <div className="k-fields">
    <AreaField form={form} label={t('Reason')} name="reason" required />
    <TextField form={form} label={t('Reversal date')} name="date" required type="date" />
  </div>
);

/** Books a reversal. */
export function CancelTransaction({ transaction }: Props): ReactNode {
  const { id } = transaction;
  const cache = useQueryClient();
  const zone = useZone();
  return (
    <FormDialog
      act={({ reason = '', date = '' }, header) =>
        data(api.POST('/api/transactions/{id}/cancel', { params: { path: { id }, header }, body: { reason, date } }))
      }
      fields={(form) => <ReversalFields form={form} />}
      icon="close"
      initial={() => ({ reason: '', date: reversalDate(transaction, zone) })}
      isDangerous
      label={t('transaction| Cancel')}
      lead={t('Books a reversal. Both transactions remain in the books. This cannot be undone.')}
      onDone={() => {
        changedBooks(cache);
      }}
      send={t('Book reversal')}
    />
  );
}

const isJournal = ({ type }: Transaction): boolean => type === 'JOURNAL';

/**
 * Returns the form values for a correction. The reversal and the replacement have the same date, so that no period
 * contains only one of them. This is the original's date or, if its period is closed, today's date.
 */
function correctionOf(transaction: Transaction, zone: string, closedThrough: string): Draft {
  const date = transaction.date <= closedThrough ? reversalDate(transaction, zone) : transaction.date;
  const corrected = { ...transaction, date };
  const draft = isJournal(transaction) ? journalDraft(corrected) : transactionDraft(corrected);
  return { reason: '', date, ...prefixed(draft, REPLACEMENT) };
}

/** Books a reversal and a replacement, which starts as a copy of the original. */
export function CorrectTransaction({ transaction }: Props): ReactNode {
  const { id } = transaction;
  const cache = useQueryClient();
  const navigate = useNavigate();
  const zone = useZone();
  const { data: periods } = useQuery({ ...periodsQuery, enabled: useMay('reports.read') });
  const correct = ({ reason = '', date = '', ...rest }: Draft, header: IdempotencyHeader) => {
    const typed = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name.slice(REPLACEMENT.length), value]),
    );
    const replacement = isJournal(transaction) ? journalBody(typed) : transactionBody(typed);
    const body = { reason, date, replacement };
    return data(api.POST('/api/transactions/{id}/correct', { params: { path: { id }, header }, body }));
  };
  return (
    <FormDialog
      act={correct}
      fields={(form) => (
        <>
          <ReversalFields form={form} />
          <fieldset className="k-fieldset">
            <legend>{t('Replacement')}</legend>
            {isJournal(transaction) ? (
              <JournalFields form={scoped(form, REPLACEMENT)} />
            ) : (
              <TransactionFields form={scoped(form, REPLACEMENT)} />
            )}
          </fieldset>
        </>
      )}
      icon="edit"
      initial={() => correctionOf(transaction, zone, periods?.closedThrough ?? '')}
      label={t('Correct')}
      lead={t(
        'Books a reversal of this transaction together with a replacement. All three transactions remain linked.',
      )}
      onDone={({ id: replacement }) => {
        changedBooks(cache);
        void navigate({ to: '/transactions/$id', params: { id: replacement } });
      }}
      send={t('Book correction')}
      size="xl"
    />
  );
}

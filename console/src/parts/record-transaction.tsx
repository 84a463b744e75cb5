import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { accountSource, customerSource } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import { today } from './day';
import { AreaField, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { RemoteField } from './remote-field';
import { RECORDED_TYPES } from './transaction-words';

type Body = Shapes['CreateTransactionDto'];
type Party = 'customerId' | 'accountId' | 'counterAccountId' | 'expenseItemId' | 'direction';

/** Types that this form records. */
type FormType = Exclude<Body['type'], 'JOURNAL'>;

/** Description and party labels of each transaction type. */
const FORMS: Readonly<
  Record<FormType, { readonly lead: string; readonly parties: readonly (readonly [Party, string])[] }>
> = {
  COLLECTION: {
    lead: 'A customer pays into an account.',
    parties: [
      ['customerId', 'From customer'],
      ['accountId', 'Into account'],
    ],
  },
  PAYMENT: {
    lead: 'Money leaves an account. Choose one: a customer, a supplier or employee, or an expense.',
    parties: [
      ['accountId', 'From account'],
      ['customerId', 'To customer'],
      ['counterAccountId', 'To supplier or employee'],
      ['expenseItemId', 'For expense'],
    ],
  },
  TRANSFER: {
    lead: 'Money moves between two of your own accounts.',
    parties: [
      ['accountId', 'From account'],
      ['counterAccountId', 'To account'],
    ],
  },
  ADJUSTMENT: {
    lead: 'Corrects the balance of either a customer or an account.',
    parties: [
      ['customerId', 'Customer'],
      ['accountId', 'Account'],
      ['direction', 'Direction'],
    ],
  },
  OPENING_BALANCE: {
    lead: 'The balance of one customer or account before bookkeeping began.',
    parties: [
      ['customerId', 'Customer'],
      ['accountId', 'Account'],
      ['direction', 'Direction'],
    ],
  },
};

const DIRECTIONS = [
  ['IN', 'In: account balance up, or customer balance down'],
  ['OUT', 'Out: account balance down, or customer balance up'],
] as const;
const OPTIONAL = ['description', 'reference'] as const;

const typeOf = (values: Draft): FormType =>
  RECORDED_TYPES.map(([type]) => type).find((type) => type === values['type']) ?? 'COLLECTION';

/** Includes only the parties of the chosen type and drops values typed for another type. */
function bodyOf(values: Draft): Body {
  const type = typeOf(values);
  const { direction, ...parties } = someOf(
    values,
    FORMS[type].parties.map(([name]) => name),
  );
  return {
    type,
    date: values['date'] ?? '',
    amount: values['amount']?.trim() ?? '',
    ...parties,
    ...((direction === 'IN' || direction === 'OUT') && { direction }),
    ...someOf(values, OPTIONAL),
  };
}

const PartyField = ({ form, name, label }: { form: Form; name: Party; label: string }): ReactNode =>
  name === 'direction' ? (
    <OneOfField form={form} label={label} name={name} options={DIRECTIONS} />
  ) : (
    <RemoteField
      form={form}
      label={label}
      name={name}
      source={name === 'customerId' ? customerSource : accountSource}
    />
  );

/** Browsers have no randomUUID over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Records a transaction. A retry after a lost response is idempotent. */
export function RecordTransaction({ customerId = '' }: { customerId?: string }): ReactNode {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [attempt, setAttempt] = useState({ body: '', key: '' });
  const keyFor = (body: string): string => {
    if (attempt.body === body) return attempt.key;
    const key = randomKey();
    setAttempt({ body, key });
    return key;
  };
  return (
    <FormDialog
      act={(values) => {
        const body = bodyOf(values);
        const header = { 'Idempotency-Key': keyFor(JSON.stringify(body)) };
        return data(api.POST('/api/transactions', { params: { header }, body }));
      }}
      buttonProps={{ variant: 'filled', size: customerId === '' ? 'sm' : 'xs' }}
      fields={(form) => {
        const { lead, parties } = FORMS[typeOf(form.values)];
        return (
          <>
            <OneOfField form={form} hint={lead} label="Type" name="type" options={RECORDED_TYPES} required />
            <div className="k-fields">
              <TextField form={form} label="Date" name="date" required type="date" />
              <TextField autoFocus form={form} hint="For example, 1250.00" label="Amount" name="amount" required />
              {parties.map(([name, label]) => (
                <PartyField form={form} key={name} label={label} name={name} />
              ))}
              <TextField form={form} label="Reference" name="reference" />
            </div>
            <AreaField form={form} hint="Used by category rules" label="Description" name="description" />
          </>
        );
      }}
      icon="plus"
      initial={{
        ...{ type: 'COLLECTION', date: today(), amount: '', customerId, accountId: '', counterAccountId: '' },
        ...{ expenseItemId: '', direction: 'IN', description: '', reference: '' },
      }}
      label="Record a transaction"
      onDone={({ id }) => {
        setAttempt({ body: '', key: '' });
        for (const key of ['transactions', 'statement', 'customer', 'customers']) askAgain(cache, [key]);
        void navigate({ to: '/transactions/$id', params: { id } });
      }}
      send="Record"
    />
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { branchCodeSource, changedBooks, customerSource } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import { useMe } from '../api/me';
import type { Sale } from '../api/sales';
import { amountIn, amountOf, digitsOf, grossOf, typedAmount } from './amount';
import { given, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { FormLines, linesAs, linesIn } from './form-lines';
import type { IconName } from './icons';
import { Money } from './money';
import { RemoteField } from './remote-field';
import { PAYMENT_METHODS, SALE_TYPES } from './sale-words';
import { useZone } from './zone';
import { instantOf, today } from './zone-days';
import { rich, t } from '../messages/catalogue';

type Body = Shapes['CreateSaleDto'];

const LINE: Draft = { description: '', quantity: '1', unitPrice: '', taxRate: '', discount: '' };
const PAYMENT: Draft = { method: 'CASH', amount: '', accountCode: '' };

const newSale = (date: string): Draft => ({
  ...{ type: 'SALE', date, time: '12:00', customerId: '', branchCode: '', externalId: '', relatedExternalId: '' },
  ...linesAs('lines', [LINE]),
});

const isReference = (values: Draft): boolean => values['type'] !== 'SALE';
const hasLines = (values: Draft): boolean => values['type'] !== 'CANCELLATION';

function bodyOf(values: Draft, currency: string, timeZone: string): Body {
  const { date = '', time = '' } = values;
  const type = SALE_TYPES.map(([each]) => each).find((each) => each === values['type']) ?? 'SALE';
  return {
    type,
    currency,
    occurredAt: date === '' || time === '' ? '' : instantOf(`${date}T${time}:00`, timeZone),
    ...someOf(values, ['externalId', 'customerId', 'branchCode']),
    ...(isReference(values) && someOf(values, ['relatedExternalId'])),
    ...(hasLines(values) && {
      lines: linesIn(values, 'lines').map((line) => ({
        description: line['description'] ?? '',
        quantity: amountOf(line['quantity'] ?? ''),
        unitPrice: amountOf(line['unitPrice'] ?? ''),
        taxRate: amountOf(given(line, 'taxRate') ?? '0'),
        discount: amountOf(given(line, 'discount') ?? '0'),
      })),
      payments: linesIn(values, 'payments').map(({ method, amount = '', ...account }) => ({
        method: PAYMENT_METHODS.map(([each]) => each).find((each) => each === method) ?? 'CASH',
        amount: amountOf(amount),
        ...someOf(account, ['accountCode']),
      })),
    }),
  };
}

/** Previews the total that the service will calculate. */
function Total({ values, currency }: { values: Draft; currency: string }): ReactNode {
  const digits = digitsOf(currency);
  const total = linesIn(values, 'lines').reduce((sum, line) => sum + grossOf(line, digits), 0n);
  return (
    <p aria-live="polite" className="k-sums">
      <strong>
        {rich('Total {money}', { money: <Money amount={amountIn(total, digits)} currency={currency} /> })}
      </strong>
    </p>
  );
}

const Lines = ({ form, currency }: { form: Form; currency: string }): ReactNode => (
  <>
    <FormLines blank={LINE} form={form} label={t('Line')} list="lines">
      {(line) => (
        <>
          <TextField form={line} label={t('Description')} name="description" required />
          <TextField form={line} inputMode="decimal" label={t('Quantity')} name="quantity" required />
          <TextField form={line} inputMode="decimal" label={t('Net price')} name="unitPrice" required />
          <TextField form={line} inputMode="decimal" label={t('Discount')} name="discount" />
          <TextField form={line} inputMode="decimal" label={t('Tax, %')} name="taxRate" />
        </>
      )}
    </FormLines>
    <Total currency={currency} values={form.values} />
    <FormLines blank={PAYMENT} form={form} label={t('Payment')} list="payments" min={0}>
      {(line) => (
        <>
          <OneOfField form={line} label={t('Paid by')} name="method" options={PAYMENT_METHODS} />
          <TextField form={line} inputMode="decimal" label={t('Amount')} name="amount" required />
          <TextField form={line} label={t('Account code')} name="accountCode" />
        </>
      )}
    </FormLines>
  </>
);

const SaleFields = ({ form, currency }: { form: Form; currency: string }): ReactNode => (
  <>
    <div className="k-fields">
      <OneOfField form={form} label={t('Type')} name="type" options={SALE_TYPES} />
      <TextField form={form} label={t('Date')} name="date" required type="date" />
      <TextField form={form} label={t('Time')} name="time" required type="time" />
      {isReference(form.values) ? (
        <TextField form={form} label={t('Original sale number')} name="relatedExternalId" required />
      ) : (
        <RemoteField
          form={form}
          hint={t('Leave empty for the default customer.')}
          label={t('Customer')}
          name="customerId"
          source={customerSource}
        />
      )}
      <RemoteField form={form} label={t('Branch')} name="branchCode" source={branchCodeSource} />
      <TextField form={form} hint={t('Leave empty for the next number.')} label={t('Number')} name="externalId" />
    </div>
    {hasLines(form.values) && <Lines currency={currency} form={form} />}
  </>
);

/** Returns the form values for returning a whole sale. The user removes the items that the customer keeps. */
const returnOf = ({ externalId, branchCode, lines, payments }: Sale, date: string): Draft => ({
  ...newSale(date),
  ...{ type: 'RETURN', relatedExternalId: externalId, branchCode: branchCode ?? '' },
  ...linesAs(
    'lines',
    lines.map(({ description, quantity, unitPrice, taxRate, discount }) => ({
      description,
      ...{ quantity: typedAmount(quantity), unitPrice: typedAmount(unitPrice) },
      ...{ taxRate: typedAmount(taxRate), discount: typedAmount(discount) },
    })),
  ),
  ...linesAs(
    'payments',
    payments.map(({ method, amount, accountCode }) => ({
      method,
      amount: typedAmount(amount),
      accountCode: accountCode ?? '',
    })),
  ),
});

/** Records a sale manually. The sale is booked before the dialog closes. */
export const RecordSale = (): ReactNode => <SaleDialog initial={newSale} label={t('Record a sale')} variant="filled" />;

/** Records the return of a sale that was also recorded manually. */
export const RecordReturn = ({ of }: { of: Sale }): ReactNode => (
  <SaleDialog
    initial={(date) => returnOf(of, date)}
    label={t('Record a return')}
    lead={t('For a partial return, change the quantities or remove lines. Under Payments, enter the amounts refunded.')}
    variant="default"
  />
);

/** Cancels a sale that was also recorded manually. */
export const CancelSale = ({ of: { externalId, branchCode } }: { of: Sale }): ReactNode => (
  <SaleDialog
    icon="close"
    initial={(date) => ({
      ...newSale(date),
      ...{ type: 'CANCELLATION', relatedExternalId: externalId, branchCode: branchCode ?? '' },
    })}
    isDangerous
    label={t('Cancel sale')}
    lead={t('Books a reversal of the entire sale, including its payments. This cannot be undone.')}
    variant="default"
  />
);

type Dialog = {
  /** Returns the initial values of a sale dated today. */
  readonly initial: (today: string) => Draft;
  readonly label: string;
  readonly lead?: string;
  readonly variant: 'filled' | 'default';
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
};

function SaleDialog({ variant, initial, icon = 'plus', ...dialog }: Dialog): ReactNode {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const zone = useZone();
  const currency = useMe()?.tenant?.currency ?? 'EUR';
  return (
    <FormDialog
      {...dialog}
      act={(values, header) =>
        data(api.POST('/api/sales', { params: { header }, body: bodyOf(values, currency, zone) }))
      }
      buttonProps={{ variant, size: 'sm' }}
      fields={(form) => <SaleFields currency={currency} form={form} />}
      icon={icon}
      initial={() => initial(today(zone))}
      onDone={({ id }) => {
        changedBooks(cache);
        void navigate({ to: '/sales/$id', params: { id } });
      }}
      {...(dialog.isDangerous !== true && { send: t('verb| Record') })}
      size="xl"
    />
  );
}

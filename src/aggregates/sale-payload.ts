import { canonicalize } from 'json-canonicalize';
import { z } from 'zod';
import { invalid, type Fault } from '../eventsourcing/domain-error.js';
import { Email, InstantInput, line, paragraph, Phone, printable, RecordId } from './fields.js';
import { boundedJson } from './json-limits.js';
import {
  amountIn,
  compareAmounts,
  Currency,
  decimalInput,
  MAX_INTEGER_DIGITS,
  MoneyInput,
  MoneyOrZeroInput,
  priceLine,
  sumOf,
} from './money.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';

export const SaleType = z.enum(['SALE', 'RETURN', 'CANCELLATION']);
export type SaleType = z.output<typeof SaleType>;
export const PaymentMethod = z.enum(['CASH', 'CARD', 'BANK']);

/** A partner's identifier. It is stored exactly as sent, without trimming. */
const ExternalId = z.string().min(1).max(200).check(printable);

// Partners may send null for missing values.
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);
const SixDecimals = decimalInput({ decimals: 6 });

const PayloadCustomer = z
  .strictObject({
    externalId: optional(ExternalId),
    code: optional(line(40)),
    name: line(200),
    email: optional(Email),
    phone: optional(Phone),
    taxNumber: optional(line(40)),
  })
  .meta({ id: 'SaleCustomerDto' });

const PayloadLine = z
  .strictObject({
    sku: optional(line(64)),
    description: paragraph(300),
    quantity: decimalInput({ decimals: 6, positive: true }),
    unitPrice: SixDecimals,
    discount: SixDecimals.default('0'),
    taxRate: decimalInput({ decimals: 4, max: 100 }).default('0'),
  })
  .meta({ id: 'SaleLineDto' });

const PayloadPayment = z
  .strictObject({ method: PaymentMethod, amount: MoneyInput, accountCode: optional(line(40)) })
  .meta({ id: 'SalePaymentDto' });

/**
 * Body of POST /api/integrations/v1/sales. The limits keep the largest possible event below 1 MiB, the maximum size of
 * an append to EventStoreDB.
 */
const payloadFields = {
  externalId: ExternalId,
  type: SaleType.default('SALE'),
  /** Time of the sale, according to the partner. */
  occurredAt: InstantInput,
  currency: Currency,
  branchCode: optional(line(20)),
  lines: z.array(PayloadLine).max(500).default([]),
  total: z.exactOptional(MoneyOrZeroInput),
  payments: z.array(PayloadPayment).max(50).default([]),
  relatedExternalId: optional(ExternalId),
  metadata: optional(
    z
      .record(z.string(), z.unknown())
      .refine((value) => boundedJson(value), 'Must be JSON of at most 16 KiB, nested at most 8 levels deep.'),
  ),
};
const checkType = (payload: TypedParts, context: z.RefinementCtx): void => {
  for (const { path, message } of faultsOfType(payload)) context.addIssue({ code: 'custom', path: [path], message });
};

export const SalePayload = z
  .strictObject({ ...payloadFields, customer: optional(PayloadCustomer) })
  .superRefine(checkType)
  .meta({ id: 'IntegrationSaleDto' });
export type SalePayload = z.output<typeof SalePayload>;

/** Body of POST /api/sales: a sale, return or cancellation that a user records. */
export const ManualSalePayload = z
  .strictObject({
    ...payloadFields,
    externalId: optional(ExternalId),
    /** Default: the currency of the tenant's books. */
    currency: z.exactOptional(Currency),
    customerId: optional(RecordId),
  })
  .superRefine(checkType)
  .meta({ id: 'CreateSaleDto' });
export type ManualSalePayload = z.output<typeof ManualSalePayload>;

type TypedParts = {
  readonly type: SaleType;
  readonly lines: readonly unknown[];
  readonly payments: readonly unknown[];
  readonly relatedExternalId: string | null;
};

function faultsOfType({ type, lines, payments, relatedExternalId }: TypedParts): Fault[] {
  const faults: Fault[] = [];
  if (type === 'CANCELLATION') {
    if (lines.length > 0) faults.push({ path: 'lines', message: 'A CANCELLATION must not have lines.' });
    if (payments.length > 0) faults.push({ path: 'payments', message: 'A CANCELLATION must not have payments.' });
  } else if (lines.length === 0) {
    faults.push({ path: 'lines', message: `A ${type} must have at least one line.` });
  }
  if (type !== 'SALE' && relatedExternalId === null) {
    faults.push({ path: 'relatedExternalId', message: `A ${type} must name its related sale.` });
  }
  return faults;
}

export type PricedSaleLine = SalePayload['lines'][number] & {
  readonly net: string;
  readonly tax: string;
  readonly gross: string;
};
export type PricedSale = Omit<SalePayload, 'lines' | 'total'> & {
  readonly lines: readonly PricedSaleLine[];
  /** Gross total. */
  readonly total: string;
  readonly totalNet: string;
  readonly totalTax: string;
  readonly taxes: readonly TaxedAmount[];
};

/** Net and tax amounts of all lines with a given tax rate. The rate has no trailing zeros. */
export const TaxedAmount = z.object({ rate: z.string(), net: z.string(), tax: z.string() });
export type TaxedAmount = z.output<typeof TaxedAmount>;

/** Sums the lines by tax rate, in ascending order of rate. */
function taxesOf(lines: readonly PricedSaleLine[], currency: string): TaxedAmount[] {
  const rates = [...new Set(lines.map(({ taxRate }) => shortest(taxRate)))].sort((a, b) => Number(a) - Number(b));
  return rates.map((rate) => {
    const own = lines.filter(({ taxRate }) => shortest(taxRate) === rate);
    return { rate, net: sumOf(amountsOf(own, 'net'), currency), tax: sumOf(amountsOf(own, 'tax'), currency) };
  });
}

/**
 * Computes all amounts of the sale with its currency's number of decimals.
 * @throws DomainError invalid: VALIDATION_FAILED for invalid amounts, TOTAL_MISMATCH for a wrong total,
 * PAYMENTS_EXCEED_TOTAL for a return whose payments exceed its total
 */
export function priceSale(payload: SalePayload): PricedSale {
  const { type, currency } = payload;
  const faults: Fault[] = [];
  const lines = payload.lines.map((saleLine, index) => {
    const priced = priceLine(saleLine, currency);
    if (!priced) faults.push({ path: `lines[${index}].discount`, message: 'The discount must not exceed the price.' });
    const { net, tax, gross } = priced ?? { net: '0', tax: '0', gross: '0' };
    const { sku, description, quantity, unitPrice, discount, taxRate } = saleLine;
    return { sku, description, quantity, unitPrice, discount, taxRate, net, tax, gross };
  });
  if (faults.length > 0) throw invalid(faults);
  const total = sumOf(amountsOf(lines, 'gross'), currency);
  if (total.replace(/\..*$/, '').length > MAX_INTEGER_DIGITS) {
    throw invalid([{ path: 'lines', message: `The total has more than ${MAX_INTEGER_DIGITS} digits.` }]);
  }
  ensureTotal(payload.total, total, currency);
  const payments = payload.payments.map((payment, index) => ({
    ...payment,
    amount: amountIn(currency, payment.amount, `payments[${index}].amount`),
  }));
  if (type === 'RETURN') ensureRefunds(payments, total, currency);
  // The fields are listed explicitly, because copying most of them with a rest element takes several microseconds on
  // Node 20.
  const { externalId, occurredAt, branchCode, customer, relatedExternalId, metadata } = payload;
  return {
    externalId,
    type,
    occurredAt,
    currency,
    branchCode,
    customer,
    lines,
    payments,
    relatedExternalId,
    metadata,
    total,
    totalNet: sumOf(amountsOf(lines, 'net'), currency),
    totalTax: sumOf(amountsOf(lines, 'tax'), currency),
    taxes: taxesOf(lines, currency),
  };
}

const amountsOf = (lines: readonly PricedSaleLine[], field: 'net' | 'tax' | 'gross'): string[] =>
  lines.map((saleLine) => saleLine[field]);

function ensureTotal(given: string | undefined, total: string, currency: string): void {
  if (given === undefined) return;
  if (compareAmounts(amountIn(currency, given, 'total', { orZero: true }), total, currency) === 0) return;
  throw invalid([{ path: 'total', message: `The total of the lines is ${total}.` }], 'TOTAL_MISMATCH');
}

function ensureRefunds(payments: readonly { readonly amount: string }[], total: string, currency: string): void {
  const refunded = sumOf(
    payments.map(({ amount }) => amount),
    currency,
  );
  if (compareAmounts(refunded, total, currency) <= 0) return;
  const message = `The payments of a return must not exceed its total of ${total}.`;
  throw invalid([{ path: 'payments', message }], 'PAYMENTS_EXCEED_TOTAL');
}

/** Removes trailing zeros, so that equal numbers compare as equal. */
const shortest = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);
type SaidSale = Omit<PricedSale, 'taxes'>;
const saidBy = ({ lines, ...rest }: SaidSale): SaidSale => ({
  ...rest,
  lines: lines.map(({ quantity, unitPrice, discount, taxRate, ...line }) => ({
    ...line,
    ...{ quantity: shortest(quantity), unitPrice: shortest(unitPrice) },
    ...{ discount: shortest(discount), taxRate: shortest(taxRate) },
  })),
});

/**
 * Returns the fields whose values differ in meaning from those of the sale accepted with the same externalId. An
 * omitted total is not compared.
 */
export function differingFields(accepted: SaidSale, given: SaidSale, { total }: SalePayload): string[] {
  const [before, now] = [saidBy(accepted), saidBy(given)];
  return (Object.keys(SalePayload.shape) as (keyof SaidSale)[])
    .filter((name) => name !== 'total' || total !== undefined)
    .filter((name) => canonicalize(before[name]) !== canonicalize(now[name]))
    .sort();
}

/** Source id of sales that users record. A partner's source id cannot start with an underscore. */
export const MANUAL_SOURCE = '_manual';

// Must never change, because the ids of all sales are derived from it.
const SALE_NAMESPACE = '8f0e6c1e-6a57-5d0c-9c35-2f6f3e4b7a11';

/** Returns the permanent id of a partner's sale. A JSON array separates the three parts unambiguously. */
export const saleId = (tenantId: string, sourceId: string, externalId: string): string =>
  nameUuid(JSON.stringify([tenantId, sourceId, externalId]), SALE_NAMESPACE);

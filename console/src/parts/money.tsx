import type { ReactNode } from 'react';
import { t } from '../messages/catalogue';
import { locale } from '../messages/language';

/**
 * Formats an amount in the viewer's locale, with the decimals of its currency. The result is exact, because no
 * floating-point numbers are used.
 */
export function amountWords(amount: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** An amount as the viewer would type it, without digit grouping. */
export function typedAmount(amount: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return new Intl.NumberFormat(locale, format).format(amount as Intl.StringNumericLiteral);
}

type MoneyProps = {
  readonly amount: string;
  readonly currency: string;
  /** Direction of the money, shown as a sign and a colour. */
  readonly direction?: 'IN' | 'OUT' | null;
};

const SIGNS = { IN: '+', OUT: '−' } as const;

export const Money = ({ amount, currency, direction = null }: MoneyProps): ReactNode => (
  <span className="k-money" data-direction={direction ?? undefined}>
    {direction !== null && SIGNS[direction]}
    {amountWords(amount)} {currency}
  </span>
);

/** A customer's balance in words, because a sign is easily misread. */
export function Balance({ amount, currency }: { amount: string; currency: string }): ReactNode {
  const words = /^-/.test(amount) ? t('we owe') : isSome(amount) ? t('owes us') : t('settled');
  return (
    <>
      <span className="k-nothing">{words}</span> <Money amount={amount.replace(/^-/, '')} currency={currency} />
    </>
  );
}

/** Whether an amount differs from zero. */
export const isSome = (amount: string): boolean => /[1-9]/.test(amount);

/** An amount in a column of one currency. Zero is shown as a dash. */
export const Figure = ({ amount }: { amount: string }): ReactNode =>
  isSome(amount) ? amountWords(amount) : <span className="k-nothing">—</span>;

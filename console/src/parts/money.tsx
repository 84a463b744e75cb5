import type { ReactNode } from 'react';

/** Formats an amount in the viewer's locale, with the digits of its currency. Exact: no floating point. */
export function amountWords(amount: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(amount as Intl.StringNumericLiteral);
}

export const Money = ({ amount, currency }: { amount: string; currency: string }): ReactNode => (
  <span className="k-money">
    {amountWords(amount)} {currency}
  </span>
);

/** A customer's balance in words, because a sign is easily misread. */
export function Balance({ amount, currency }: { amount: string; currency: string }): ReactNode {
  const words = /^-/.test(amount) ? 'we owe' : /[1-9]/.test(amount) ? 'owes us' : 'settled';
  return (
    <>
      <Money amount={amount.replace(/^-/, '')} currency={currency} />
      <div className="k-nothing">{words}</div>
    </>
  );
}

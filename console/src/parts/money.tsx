import type { ReactNode } from 'react';

/** An amount as the service writes it, in the viewer's notation, with as many digits as its currency has. Exact. */
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

/** What somebody owes, in words, since a sign is easily read the wrong way round. */
export function Balance({ amount, currency }: { amount: string; currency: string }): ReactNode {
  const words = /^-/.test(amount) ? 'we owe' : /[1-9]/.test(amount) ? 'owes us' : 'settled';
  return (
    <>
      <Money amount={amount.replace(/^-/, '')} currency={currency} />
      <div className="k-nothing">{words}</div>
    </>
  );
}

import type { ReactNode } from 'react';
import { amountWords, MINUS } from './amount';
import { NOTHING } from './nothing';
import { t } from '../messages/catalogue';

type MoneyProps = {
  readonly amount: string;
  readonly currency: string;
  /** Direction of the money, shown as a sign and a color. */
  readonly direction?: 'IN' | 'OUT' | null;
};

const SIGNS = { IN: '+', OUT: MINUS } as const;

/** An amount with its currency. The styles use the length of the text to make it fit into a tile. */
export function Money({ amount, currency, direction = null }: MoneyProps): ReactNode {
  const words = `${direction === null ? '' : SIGNS[direction]}${amountWords(amount)} ${currency}`;
  return (
    <span
      className="k-money"
      data-direction={direction ?? undefined}
      style={{ ['--k-length' as string]: words.length }}
    >
      {words}
    </span>
  );
}

/** A customer's balance, described in words, because a sign is easily misread. */
export function Balance({ amount, currency }: { amount: string; currency: string }): ReactNode {
  const words = /^-/.test(amount) ? t('we owe') : isSome(amount) ? t('owes us') : t('settled');
  return (
    <>
      <span className="k-nothing">{words}</span> <Money amount={amount.replace(/^-/, '')} currency={currency} />
    </>
  );
}

/** Returns whether an amount differs from zero. */
export const isSome = (amount: string): boolean => /[1-9]/.test(amount);

/** An amount in a column with a single currency. Zero is shown as a dash. */
export const Figure = ({ amount }: { amount: string }): ReactNode => (isSome(amount) ? amountWords(amount) : NOTHING);

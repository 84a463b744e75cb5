import type { ReactNode } from 'react';
import type { Transaction } from '../api/books';
import { StatusBadge } from './status-badge';

/** Types that the form for one amount records. */
export const RECORDED_TYPES = [
  ['COLLECTION', 'Collection'],
  ['PAYMENT', 'Payment'],
  ['TRANSFER', 'Transfer'],
  ['ADJUSTMENT', 'Adjustment'],
  ['OPENING_BALANCE', 'Opening balance'],
] as const;

/** All types, including those that result from a partner's sale. */
export const TYPES = [
  ['INVOICE', 'Invoice'],
  ['RETURN', 'Return'],
  ['CANCELLATION', 'Cancellation'],
  ...RECORDED_TYPES,
  ['JOURNAL', 'Journal entry'],
] as const;

type Named = Pick<Transaction, 'type' | 'documentEffect'> & { readonly reversalOf?: string | null };

export function typeWords({ type, documentEffect, reversalOf = null }: Named): string {
  const words = (name: string | null): string | undefined => TYPES.find(([each]) => each === name)?.[1];
  const effect = words(documentEffect);
  const own = words(type);
  if (own !== undefined && reversalOf !== null) return `Reversal (${own.toLowerCase()})`;
  if (own !== undefined && effect !== undefined) return `${own} (${effect.toLowerCase()})`;
  return own ?? effect ?? 'Transaction';
}

/** Whether a transaction is effective, cancelled, or a reversal. */
export function TransactionState({
  isCancelled,
  reversalOf,
}: Pick<Transaction, 'isCancelled' | 'reversalOf'>): ReactNode {
  if (isCancelled) return <StatusBadge tone="idle">Cancelled</StatusBadge>;
  if (reversalOf !== null) return <StatusBadge tone="idle">Reversal</StatusBadge>;
  return <StatusBadge tone="good">Booked</StatusBadge>;
}

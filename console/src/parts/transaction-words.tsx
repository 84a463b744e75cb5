import type { ReactNode } from 'react';
import type { Transaction } from '../api/books';
import { StatusBadge } from './status-badge';
import { inSentence, t } from '../messages/catalogue';

/** Transaction types that users record with the single-amount form. */
export const RECORDED_TYPES = [
  ['COLLECTION', t('Collection')],
  ['PAYMENT', t('Payment')],
  ['TRANSFER', t('Transfer')],
  ['ADJUSTMENT', t('Adjustment')],
  ['OPENING_BALANCE', t('Opening balance')],
] as const;

/** All transaction types, including those that result from a partner's sale. */
export const TYPES = [
  ['INVOICE', t('Invoice')],
  ['RETURN', t('Return')],
  ['CANCELLATION', t('Cancellation')],
  ...RECORDED_TYPES,
  ['JOURNAL', t('Journal entry')],
] as const;

export const DIRECTIONS = [
  ['IN', t('In')],
  ['OUT', t('Out')],
] as const;

type Named = Pick<Transaction, 'type' | 'documentEffect'> & { readonly reversalOf?: string | null };

export function typeWords({ type, documentEffect, reversalOf = null }: Named): string {
  const words = (name: string | null): string | undefined => TYPES.find(([each]) => each === name)?.[1];
  const effect = words(documentEffect);
  const own = words(type);
  if (own !== undefined && reversalOf !== null) return t('Reversal ({noun})', { noun: inSentence(own) });
  if (own !== undefined && effect !== undefined) return `${own} (${inSentence(effect)})`;
  return own ?? effect ?? t('Transaction');
}

/** Shows whether a transaction is effective, cancelled, or a reversal. */
export function TransactionState({
  isCancelled,
  reversalOf,
}: Pick<Transaction, 'isCancelled' | 'reversalOf'>): ReactNode {
  if (isCancelled) return <StatusBadge tone="idle">{t('Cancelled')}</StatusBadge>;
  if (reversalOf !== null) return <StatusBadge tone="idle">{t('Reversal')}</StatusBadge>;
  return <StatusBadge tone="good">{t('Booked')}</StatusBadge>;
}

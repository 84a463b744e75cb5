import type { ReactNode } from 'react';
import { MANUAL, type ListedSale } from '../api/sales';
import { StatusBadge, type Tone } from './status-badge';
import { byCode, t } from '../messages/catalogue';
import { serviceWords, wordsWithValues } from '../messages/service-words';

export const SALE_TYPES = [
  ['SALE', t('Sale')],
  ['RETURN', t('Return')],
  ['CANCELLATION', t('Cancellation')],
] as const;

export const SALE_STATUSES = [
  ['BOOKED', t('Booked')],
  ['REJECTED', t('Rejected')],
  ['ACCEPTED', t('Waiting')],
] as const;

export const PAYMENT_METHODS = [
  ['CASH', t('payment| Cash')],
  ['CARD', t('Card')],
  ['BANK', t('Bank transfer')],
] as const;

const TONES: Readonly<Record<ListedSale['status'], Tone>> = { BOOKED: 'good', REJECTED: 'bad', ACCEPTED: 'busy' };

const wordsIn = <V extends string>(pairs: readonly (readonly [V, string])[], value: V): string =>
  pairs.find(([each]) => each === value)?.[1] ?? value;

export const saleTypeWords = (type: ListedSale['type']): string => wordsIn(SALE_TYPES, type);
export const paymentWords = (method: (typeof PAYMENT_METHODS)[number][0]): string => wordsIn(PAYMENT_METHODS, method);
export const partnerWords = (sourceId: string): string => (sourceId === MANUAL ? t('Entered by hand') : sourceId);

/**
 * Returns the reason why a sale was rejected: the service's message if it names the account, branch or date, otherwise
 * the text for the code.
 */
export const rejectionWords = ({
  code,
  message,
}: Pick<NonNullable<ListedSale['rejection']>, 'code' | 'message'>): string =>
  wordsWithValues(message) ??
  byCode('rejection', code, serviceWords(message).replace(/(account|branch)Code\b/, 'the $1 code'));

export const SaleStatus = ({ status }: Pick<ListedSale, 'status'>): ReactNode => (
  <StatusBadge tone={TONES[status]}>{wordsIn(SALE_STATUSES, status)}</StatusBadge>
);

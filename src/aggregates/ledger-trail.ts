import { z } from 'zod';
import { notFound } from '../platform/domain-error.js';
import { ensureGivable, type PresentCategory } from './category.aggregate.js';
import type { LedgerTransaction } from './ledger.js';

// Transactions ride in events of several streams: their own, a sale's, a customer's. What happens to one later is
// recorded on the stream that carries it; a trail is what such a stream's state keeps of it.

/** A person's choice of a transaction's category, as events hold it; null: none. */
export const CategoryChoice = z.object({
  transactionId: z.string(),
  categoryId: z.string().nullable(),
  /** The transaction's. */
  customerId: z.string().nullable(),
});
export type CategoryChoice = z.output<typeof CategoryChoice>;
/** What an audit entry of a choice is about. */
export const chosenFor = ({ transactionId }: CategoryChoice): string => transactionId;

type Trace = Pick<LedgerTransaction, 'direction' | 'categoryId' | 'customerId'> & {
  /** Of the last event about the transaction, in the stream that carries it. */
  readonly revision: number;
  /** A person has chosen the category (or that there is none). */
  readonly isChosen: boolean;
};

/** What became of the transactions that a stream carries, by their ids. */
export type LedgerTrail = Readonly<Record<string, Trace>>;

/** With transactions that an event brings; those that they undo are touched by it, too. */
export function extended(
  trail: LedgerTrail,
  transactions: readonly LedgerTransaction[],
  revision: number,
  isChosen = false,
): LedgerTrail {
  const next: Record<string, Trace> = { ...trail };
  for (const { id, direction, categoryId, customerId, reversalOf } of transactions) {
    const original = reversalOf === null ? undefined : next[reversalOf];
    if (original && reversalOf !== null) next[reversalOf] = { ...original, revision };
    next[id] = { direction, categoryId, customerId, revision, isChosen };
  }
  return next;
}

/** With a choice that was made. */
export function withChoice(
  trail: LedgerTrail,
  { transactionId, categoryId }: CategoryChoice,
  revision: number,
): LedgerTrail {
  const known = trail[transactionId];
  return known ? { ...trail, [transactionId]: { ...known, categoryId, revision, isChosen: true } } : trail;
}

/** What is asked for: a transaction of the stream, the category for it and what that is (null: none). */
export type CategoryRequest = {
  readonly transactionId: string;
  readonly categoryId: string | null;
  readonly category: PresentCategory | null;
};

function traceOf(trail: LedgerTrail, transactionId: string): Trace {
  const known = trail[transactionId];
  if (!known) throw notFound('transaction');
  return known;
}

/**
 * The choice to record; undefined where the same was chosen already. A rule's category is no choice, so choosing the
 * same is one.
 * @throws DomainError not_found; conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
export function choiceOn(
  trail: LedgerTrail,
  { transactionId, categoryId, category }: CategoryRequest,
): CategoryChoice | undefined {
  const { direction, customerId, ...known } = traceOf(trail, transactionId);
  if (known.isChosen && known.categoryId === categoryId) return undefined;
  if (category) ensureGivable(category, direction);
  return { transactionId, categoryId, customerId };
}

/** The revision of a transaction: what If-Match is about. @throws DomainError not_found */
export const revisionIn = (trail: LedgerTrail, transactionId: string): number => traceOf(trail, transactionId).revision;

/** The transaction with the category that it has by now. */
export const currentOf = (trail: LedgerTrail, transaction: LedgerTransaction): LedgerTransaction => ({
  ...transaction,
  categoryId: traceOf(trail, transaction.id).categoryId,
});

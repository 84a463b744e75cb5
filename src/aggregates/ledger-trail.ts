import { z } from 'zod';
import { notFound } from '../eventsourcing/domain-error.js';
import { ensureGivable, type PresentCategory } from './category.aggregate.js';
import type { LedgerTransaction } from './ledger.js';

// Three kinds of streams contain transactions: those of transactions, sales and customers. Later changes to a
// transaction are recorded on the stream that contains it. The trail is the part of that stream's state that tracks
// them.

/** The stream that contains a transaction. */
export type Carrier = { readonly entity: 'transaction' | 'sale' | 'customer'; readonly recordId: string };

/** A user's choice of a transaction's category; null removes the category. */
export const CategoryChoice = z.object({
  transactionId: z.string(),
  categoryId: z.string().nullable(),
  /** The transaction's customer. */
  customerId: z.string().nullable(),
});
export type CategoryChoice = z.output<typeof CategoryChoice>;
/** The subject of a choice's audit entry. */
export const chosenFor = ({ transactionId }: CategoryChoice): string => transactionId;

type Trace = Pick<LedgerTransaction, 'direction' | 'categoryId' | 'customerId'> & {
  /** Number of changes since the transaction was recorded. */
  readonly revision: number;
  /** Whether a user chose the category, or chose to have none. */
  readonly isChosen: boolean;
};

/** The current state of the stream's transactions, by transaction id. */
export type LedgerTrail = Readonly<Record<string, Trace>>;

/** Adds an event's transactions. A reversal also counts as a change of the transaction that it reverses. */
export function extended(
  trail: LedgerTrail,
  transactions: readonly LedgerTransaction[],
  isChosen = false,
): LedgerTrail {
  const next: Record<string, Trace> = { ...trail };
  for (const { id, direction, categoryId, customerId, reversalOf } of transactions) {
    const original = reversalOf === null ? undefined : next[reversalOf];
    if (original && reversalOf !== null) next[reversalOf] = { ...original, revision: original.revision + 1 };
    next[id] = { direction, categoryId, customerId, revision: 0, isChosen };
  }
  return next;
}

/** Applies a user's choice of category. */
export function withChoice(trail: LedgerTrail, { transactionId, categoryId }: CategoryChoice): LedgerTrail {
  const known = trail[transactionId];
  if (!known) return trail;
  return { ...trail, [transactionId]: { ...known, categoryId, revision: known.revision + 1, isChosen: true } };
}

/** A request to set a transaction's category. `category` is the state of `categoryId`; both are null to remove it. */
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
 * Returns the choice to record, or undefined if it repeats the previous choice. A category assigned by a rule is not a
 * choice, so choosing it explicitly is recorded.
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

/** The revision of a transaction, which is compared with If-Match. @throws DomainError not_found */
export const revisionIn = (trail: LedgerTrail, transactionId: string): number => traceOf(trail, transactionId).revision;

/** Returns the transaction with its current category. */
export const currentOf = (trail: LedgerTrail, transaction: LedgerTransaction): LedgerTransaction => ({
  ...transaction,
  categoryId: traceOf(trail, transaction.id).categoryId,
});

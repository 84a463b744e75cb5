import { z } from 'zod';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { CategorizedBy, type CategorizedBys } from './categorized-by.js';
import { ensureGivable, type PresentCategory } from './category.aggregate.js';
import { LedgerTransaction, reversal } from './ledger.js';

// Three kinds of streams contain transactions: transaction, sale and customer streams. Later changes to a transaction
// are recorded in the stream that contains it. The trail is the part of the stream's state that tracks these changes.

/** The stream that contains a transaction. */
export type Carrier = { readonly entity: 'transaction' | 'sale' | 'customer'; readonly recordId: string };

/** A user's category choice for a transaction. Null removes the category. */
export const CategoryChoice = z.object({
  transactionId: z.string(),
  categoryId: z.string().nullable(),
  /** The transaction's customer. */
  customerId: z.string().nullable(),
});
export type CategoryChoice = z.output<typeof CategoryChoice>;
/** Returns the subject of a choice's audit entry. */
export const chosenFor = ({ transactionId }: CategoryChoice): string => transactionId;

/**
 * A transaction's category changed because a rule was applied to past transactions, or because the application was
 * undone. `categorizedBy`: the rule that assigned the category; null if the transaction has none.
 */
export const Recategorization = CategoryChoice.extend({
  applicationId: z.string(),
  categorizedBy: CategorizedBy.nullable(),
  isUndone: z.exactOptional(z.literal(true)),
});
export type Recategorization = z.output<typeof Recategorization>;

/** A user cancelled a transaction. */
export const CancelledTransaction = z.object({
  reversal: LedgerTransaction,
  reason: z.string(),
  /** Id of the transaction that replaces the cancelled one. Present only if the transaction was corrected. */
  correctedBy: z.exactOptional(z.string()),
});
export type CancelledTransaction = z.output<typeof CancelledTransaction>;
/** Returns the subject of a cancellation's audit entry. */
export const cancelledIn = ({ reversal: { reversalOf } }: CancelledTransaction): string | null => reversalOf;

/** The transaction that replaces a cancelled one. Appended together with the cancellation. */
export const ReplacementTransaction = z.object({
  transaction: LedgerTransaction,
  categorizedBy: CategorizedBy.nullable(),
  /** Id of the cancelled transaction. */
  correctionOf: z.string(),
});
export type ReplacementTransaction = z.output<typeof ReplacementTransaction>;
/** Audit declaration for a transaction recorded by a user. */
export const recordedEntry = {
  label: ({ transaction: { type, amount, currency } }: Pick<ReplacementTransaction, 'transaction'>): string =>
    `${type ?? ''} ${amount} ${currency}`.trim(),
  subject: ({ transaction: { id } }: Pick<ReplacementTransaction, 'transaction'>): string => id,
};

type Trace = {
  /** The transaction as recorded, with its current category. */
  readonly transaction: LedgerTransaction;
  /** Number of changes since the transaction was recorded. */
  readonly revision: number;
  /** Whether a user chose the category or explicitly chose none. */
  readonly isChosen: boolean;
  readonly isCancelled: boolean;
  readonly categorizedBy: CategorizedBy | null;
  /** The rule application that last changed the category; null if the transaction has changed since. */
  readonly applied: Applied | null;
};

/** `before`: the category that the application replaced; null once that category has been restored. */
type Applied = {
  readonly applicationId: string;
  readonly before: Pick<Recategorization, 'categoryId' | 'categorizedBy'> | null;
};

/** The current state of the stream's transactions, by transaction id. */
export type LedgerTrail = Readonly<Record<string, Trace>>;

/** Ids in events may be any string, including names that every object inherits, such as `valueOf`. */
const knownIn = (trail: LedgerTrail, id: string): Trace | undefined =>
  Object.hasOwn(trail, id) ? trail[id] : undefined;

/** Adds an event's transactions. A reversal also counts as a change to the transaction that it reverses. */
export function extended(
  trail: LedgerTrail,
  transactions: readonly LedgerTransaction[],
  isChosen = false,
  categorizedBys: CategorizedBys = {},
): LedgerTrail {
  const next: Record<string, Trace> = { ...trail };
  for (const transaction of transactions) {
    const { reversalOf } = transaction;
    const original = reversalOf === null ? undefined : knownIn(next, reversalOf);
    if (original && reversalOf !== null)
      next[reversalOf] = { ...original, revision: original.revision + 1, isCancelled: true, applied: null };
    const categorizedBy = categorizedBys[transaction.id] ?? null;
    next[transaction.id] = { transaction, revision: 0, isChosen, isCancelled: false, categorizedBy, applied: null };
  }
  return next;
}

/** Adds a transaction recorded by a user. A category that was not assigned by a rule is the user's choice. */
export const withRecorded = (
  trail: LedgerTrail,
  { transaction, categorizedBy }: Omit<ReplacementTransaction, 'correctionOf'>,
): LedgerTrail =>
  extended(trail, [transaction], transaction.categoryId !== null && categorizedBy === null, {
    ...(categorizedBy && { [transaction.id]: categorizedBy }),
  });

/** Applies a user's choice of category. */
export function withChoice(trail: LedgerTrail, { transactionId, categoryId }: CategoryChoice): LedgerTrail {
  const known = knownIn(trail, transactionId);
  if (!known) return trail;
  const changed = { transaction: { ...known.transaction, categoryId }, revision: known.revision + 1 };
  const chosen = { ...known, ...changed, isChosen: true, categorizedBy: null, applied: null };
  return { ...trail, [transactionId]: chosen };
}

/** Applies a change made by a rule application, or by undoing one. */
export function withRecategorization(
  trail: LedgerTrail,
  { transactionId, categoryId, categorizedBy, applicationId, isUndone }: Recategorization,
): LedgerTrail {
  const known = knownIn(trail, transactionId);
  if (!known) return trail;
  const before = isUndone ? null : { categoryId: known.transaction.categoryId, categorizedBy: known.categorizedBy };
  const changed = { transaction: { ...known.transaction, categoryId }, revision: known.revision + 1 };
  return { ...trail, [transactionId]: { ...known, ...changed, categorizedBy, applied: { applicationId, before } } };
}

/** Applies any event except the first one in the stream. */
export function followed(
  trail: LedgerTrail,
  data: CancelledTransaction | ReplacementTransaction | CategoryChoice | Recategorization,
): LedgerTrail {
  if ('reversal' in data) return extended(trail, [data.reversal]);
  if ('applicationId' in data) return withRecategorization(trail, data);
  return 'transaction' in data ? withRecorded(trail, data) : withChoice(trail, data);
}

/**
 * A request to set a transaction's category. `category` is the state of the category with the id `categoryId`. Both are
 * null in a request to remove the category.
 */
export type CategoryRequest = {
  readonly transactionId: string;
  readonly categoryId: string | null;
  readonly category: PresentCategory | null;
};

function traceOf(trail: LedgerTrail, transactionId: string): Trace {
  const known = knownIn(trail, transactionId);
  if (!known) throw notFound('transaction');
  return known;
}

/**
 * Returns the choice to record, or undefined if it repeats the previous choice. A category assigned by a rule is not a
 * choice, so an explicit choice of the same category is recorded.
 * @throws DomainError not_found; conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
export function choiceOn(
  trail: LedgerTrail,
  { transactionId, categoryId, category }: CategoryRequest,
): CategoryChoice | undefined {
  const { transaction, isChosen } = traceOf(trail, transactionId);
  if (isChosen && transaction.categoryId === categoryId) return undefined;
  if (category) ensureGivable(category, transaction);
  return { transactionId, categoryId, customerId: transaction.customerId };
}

/** A rule application's request for one transaction. `category` is the state of the rule's category. */
export type RecategorizationRequest = {
  readonly transactionId: string;
  readonly applicationId: string;
  readonly categorizedBy: CategorizedBy;
  readonly categoryId: string;
  readonly category: PresentCategory;
  /** `RULE_SET` also replaces categories that rules have assigned. */
  readonly replace: 'NONE' | 'RULE_SET';
};

/**
 * Returns the change to record. Returns undefined if a user chose the category, or if `replace` keeps the current one.
 * Also returns undefined if this or a later application has already changed the transaction, because a suspended leader
 * may repeat its work after being replaced. The result is also undefined for a cancelled transaction and for a
 * reversal, because changing only one of the two would make their categories differ.
 * @throws DomainError not_found; conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
export function recategorizationOn(
  trail: LedgerTrail,
  { transactionId, applicationId, categorizedBy, categoryId, category, replace }: RecategorizationRequest,
): Recategorization | undefined {
  const { transaction, isChosen, isCancelled, applied } = traceOf(trail, transactionId);
  const isFixed = isChosen || isCancelled || transaction.reversalOf !== null;
  // Application ids begin with the time of the request.
  if (isFixed || (applied && applied.applicationId >= applicationId)) return undefined;
  const isKept = replace === 'NONE' || transaction.categoryId === categoryId;
  if (transaction.categoryId !== null && isKept) return undefined;
  ensureGivable(category, transaction);
  return { transactionId, categoryId, customerId: transaction.customerId, applicationId, categorizedBy };
}

/** A transaction and the rule application that changed it. */
export type AppliedTo = { readonly transactionId: string; readonly applicationId: string };

/** Returns the restoration to record; undefined if the transaction has been changed since the rule was applied. */
export function restorationOn(
  trail: LedgerTrail,
  { transactionId, applicationId }: AppliedTo,
): Recategorization | undefined {
  const { transaction, applied } = traceOf(trail, transactionId);
  if (applied?.applicationId !== applicationId || !applied.before) return undefined;
  return { transactionId, customerId: transaction.customerId, applicationId, ...applied.before, isUndone: true };
}

/**
 * `applied`: the transaction has the category that the application set. `restored`: the transaction has its previous
 * category again. `other`: the transaction has been changed since, or the application did not change it.
 */
export function standingOf(
  trail: LedgerTrail,
  { transactionId, applicationId }: AppliedTo,
): 'applied' | 'restored' | 'other' {
  const applied = knownIn(trail, transactionId)?.applied;
  if (applied?.applicationId !== applicationId) return 'other';
  return applied.before ? 'applied' : 'restored';
}

/** Returns the transaction revision to compare with If-Match. @throws DomainError not_found */
export const revisionIn = (trail: LedgerTrail, transactionId: string): number => traceOf(trail, transactionId).revision;

/** Returns the transaction with its current category. @throws DomainError not_found */
export const currentOf = (trail: LedgerTrail, transactionId: string): LedgerTransaction =>
  traceOf(trail, transactionId).transaction;

/** Whether the trail contains this reversal of the transaction. */
export const isReversedBy = (trail: LedgerTrail, transactionId: string, reversalId: string): boolean =>
  knownIn(trail, reversalId)?.transaction.reversalOf === transactionId;

/** A request to cancel a transaction. `reversalId` is the id that the reversal will have. */
export type Cancellation = {
  readonly transactionId: string;
  readonly reversalId: string;
  readonly date: string;
  readonly reason: string;
};

/**
 * Returns the cancellation to record; undefined if this request has already been recorded.
 * @throws DomainError not_found; conflict ALREADY_CANCELLED
 */
export function cancellationOn(
  trail: LedgerTrail,
  { transactionId, reversalId: id, date, reason }: Cancellation,
): CancelledTransaction | undefined {
  const { transaction, isCancelled } = traceOf(trail, transactionId);
  if (isReversedBy(trail, transactionId, id)) return undefined;
  if (isCancelled) throw conflict('ALREADY_CANCELLED', 'The transaction is already cancelled.');
  return { reversal: reversal(transaction, { id, date }), reason };
}

/** A request to cancel a transaction and to record a replacement. */
export type CorrectionRequest = Cancellation & Omit<ReplacementTransaction, 'correctionOf'>;

/**
 * Returns the cancellation and the replacement, which must be appended together; undefined if they have already been
 * recorded.
 */
export function correctionOn(
  trail: LedgerTrail,
  { transaction, categorizedBy, ...request }: CorrectionRequest,
): { readonly cancelled: CancelledTransaction; readonly replacement: ReplacementTransaction } | undefined {
  const cancelled = cancellationOn(trail, request);
  return (
    cancelled && {
      cancelled: { ...cancelled, correctedBy: transaction.id },
      replacement: { transaction, categorizedBy, correctionOf: request.transactionId },
    }
  );
}

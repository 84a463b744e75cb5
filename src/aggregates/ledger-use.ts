export const LEDGER_USE = Symbol('LEDGER_USE');

/** Whether the ledger knows an account; asked before it is deleted. */
export interface LedgerUse {
  /**
   * Whether anything was ever posted to the account (a customer's has the customer's id), as of now: everything that is
   * stored when it is asked counts.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  hasTransactions(tenantId: string, accountId: string): Promise<boolean>;
}

export const LEDGER_DIRECTORY = Symbol('LEDGER_DIRECTORY');

/** The stream whose events a transaction rides in. */
export type Carrier = { readonly entity: 'transaction' | 'sale' | 'customer'; readonly recordId: string };

/** Where transactions are that have no stream of their own. */
export interface LedgerDirectory {
  /**
   * As of now: everything that is stored when it is asked counts. Undefined: there is no such transaction.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  find(
    tenantId: string,
    transactionId: string,
  ): Promise<{ readonly carrier: Carrier; readonly isReversal: boolean } | undefined>;
}

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

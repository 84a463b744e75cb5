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

/** Where a transaction comes from that has no stream of its own. */
export interface LedgerDirectory {
  /**
   * `reversal`: it undoes another; `service`: the service made it; undefined: there is none.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  originOf(tenantId: string, transactionId: string): Promise<'reversal' | 'service' | undefined>;
}

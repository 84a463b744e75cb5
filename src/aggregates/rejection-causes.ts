import { DomainError } from '../eventsourcing/domain-error.js';
import { codeKey } from './fields.js';

/**
 * Keys for the unmet conditions of rejected sales. They are unique within a tenant. They must never change, because
 * events contain them.
 */
export const causes = {
  branch: (code: string): string => `branch ${code.toUpperCase()}`,
  account: (code: string): string => `account ${codeKey(code)}`,
  defaultAccount: (type: string): string => `default account ${type}`,
  customer: (id: string): string => `customer ${id}`,
  sale: (id: string): string => `sale ${id}`,
} as const;

/** Thrown for a sale that can be booked once the record named by `awaits` is created or activated. */
export class NotYetBookable extends DomainError {
  constructor(
    code: string,
    message: string,
    readonly awaits: string,
  ) {
    super('conflict', code, message);
  }
}

/** The rejection of a document. Its dead letter contains `externalId` and the unmet condition. */
export class SaleRejection extends DomainError {
  readonly awaits: string | undefined;
  constructor(
    { code, message, awaits }: { readonly code: string; readonly message: string; readonly awaits?: string },
    readonly externalId: string,
  ) {
    super('conflict', code, message);
    this.awaits = awaits;
  }
}

/** Returns the unmet condition of a failed booking; undefined if no change to other records could make it succeed. */
export const awaitedBy = (error: unknown): string | undefined =>
  error instanceof NotYetBookable ? error.awaits : undefined;

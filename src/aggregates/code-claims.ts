import type { Claim } from '../eventsourcing/aggregate.js';
import { codeKey } from './fields.js';

// An account or customer claims its code under both kinds, so that codes are unique across accounts and customers.
// Older accounts and customers claimed the code under one kind only. Since a new record claims both kinds, it still
// conflicts with the older claim.
const KINDS = ['account-code', 'customer-code'] as const;

const codeClaim = (tenantId: string, code: string, kind: (typeof KINDS)[number], refusedAs: string): Claim => ({
  scope: tenantId,
  kind,
  value: codeKey(code),
  refusal: { code: refusedAs, message: 'Another account or customer has this code.' },
});

/**
 * Accounts and customers acquire the two claims in the same order. Therefore, two concurrent commands cannot reject
 * each other.
 */
export const accountCodeClaims = (tenantId: string, code: string): readonly Claim[] =>
  KINDS.map((kind) => codeClaim(tenantId, code, kind, 'ACCOUNT_CODE_TAKEN'));
export const customerCodeClaims = (tenantId: string, code: string): readonly Claim[] =>
  KINDS.map((kind) => codeClaim(tenantId, code, kind, 'CUSTOMER_CODE_TAKEN'));

/** Claim for account lookups by code. Every account with the code holds it. A customer may also hold it. */
export const accountCodeClaim = (tenantId: string, code: string): Claim =>
  codeClaim(tenantId, code, 'account-code', 'ACCOUNT_CODE_TAKEN');
/** Claim for customer lookups by code. Every customer with the code holds it. An account may also hold it. */
export const customerCodeClaim = (tenantId: string, code: string): Claim =>
  codeClaim(tenantId, code, 'customer-code', 'CUSTOMER_CODE_TAKEN');

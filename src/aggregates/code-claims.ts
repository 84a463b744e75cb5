import type { Claim } from '../eventsourcing/aggregate.js';
import { codeKey } from './fields.js';

// Each record claims its code under both kinds, so that codes are unique across accounts and customers. Older records
// claimed the code only under their own kind, but a new record of the other kind still conflicts with that claim.
const KINDS = ['account-code', 'customer-code'] as const;

const codeClaim = (tenantId: string, code: string, kind: (typeof KINDS)[number], refusedAs: string): Claim => ({
  scope: tenantId,
  kind,
  value: codeKey(code),
  refusal: { code: refusedAs, message: 'Another account or customer has this code.' },
});

/**
 * Accounts and customers acquire their claims in the same order, so that one of two concurrent commands always
 * succeeds.
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

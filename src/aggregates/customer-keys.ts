import type { Claim } from '../eventsourcing/aggregate.js';
import type { CustomerLink } from './customer-fields.js';
import { emailKey } from './fields.js';

// Lookup keys for customers, used by claims and the sale intake. They are normalized, so that equivalent keys are equal
// strings.
export const linkKey = ({ sourceId, externalId }: CustomerLink): string => JSON.stringify([sourceId, externalId]);
/** Ignores spaces and punctuation, which users enter inconsistently. Returns undefined if nothing remains. */
export const taxNumberKey = (taxNumber: string): string | undefined => {
  const key = taxNumber
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return key === '' ? undefined : key;
};

export const linkClaim = (tenantId: string, link: CustomerLink): Claim => ({
  scope: tenantId,
  kind: 'customer-link',
  value: linkKey(link),
  // Callers never receive this error, because the intake uses the linked customer on a conflict.
  refusal: { code: 'CUSTOMER_LINK_TAKEN', message: 'Another customer is linked to this partner id.' },
});

/** The first customer with a tax number holds the claim. Lookups do not find other customers with the same number. */
export const taxNumberClaims = (tenantId: string, taxNumber: string | null): readonly Claim[] => {
  const value = taxNumber === null ? undefined : taxNumberKey(taxNumber);
  return value === undefined ? [] : [{ scope: tenantId, kind: 'customer-tax-number', value, refusal: null }];
};
export const emailClaims = (tenantId: string, email: string | null): readonly Claim[] =>
  email === null ? [] : [{ scope: tenantId, kind: 'customer-email', value: emailKey(email), refusal: null }];

import type { Claim } from '../platform/aggregate.js';
import type { CustomerLink } from './customer-fields.js';
import { codeKey, emailKey } from './fields.js';

// What finds a customer, normalised: equal keys are equal strings. Claims and the intake's look-ups share these.
export const linkKey = ({ sourceId, externalId }: CustomerLink): string => JSON.stringify([sourceId, externalId]);
/** Tax numbers are typed with spaces, points and dashes, or without; undefined when nothing else is in it. */
export const taxNumberKey = (taxNumber: string): string | undefined => {
  const key = taxNumber
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return key === '' ? undefined : key;
};

export const codeClaim = (tenantId: string, code: string): Claim => ({
  scope: tenantId,
  kind: 'customer-code',
  value: codeKey(code),
  refusal: { code: 'CUSTOMER_CODE_TAKEN', message: 'Another customer has this code.' },
});

export const linkClaim = (tenantId: string, link: CustomerLink): Claim => ({
  scope: tenantId,
  kind: 'customer-link',
  value: linkKey(link),
  // Told to nobody: the intake then uses the customer that has the link.
  refusal: { code: 'CUSTOMER_LINK_TAKEN', message: 'Another customer is linked to this id of the partner.' },
});

/** Held by the first customer with the number or address: others may share it, and are then not found by it. */
export const taxNumberClaims = (tenantId: string, taxNumber: string | null): readonly Claim[] => {
  const value = taxNumber === null ? undefined : taxNumberKey(taxNumber);
  return value === undefined ? [] : [{ scope: tenantId, kind: 'customer-tax-number', value, refusal: null }];
};
export const emailClaims = (tenantId: string, email: string | null): readonly Claim[] =>
  email === null ? [] : [{ scope: tenantId, kind: 'customer-email', value: emailKey(email), refusal: null }];

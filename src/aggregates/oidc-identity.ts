import { z } from 'zod';
import type { Claim } from '../eventsourcing/aggregate.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { personal } from './personal.js';

/** A person's identity at an OpenID provider. Unlike an e-mail address, the pair is never reassigned. */
export const OidcIdentity = z.object({ issuer: z.string(), subject: personal(z.string()) });
export type OidcIdentity = z.output<typeof OidcIdentity>;

/** Finds the user or operator bound to an identity, across all tenants. */
export const identityClaim = ({ issuer, subject }: OidcIdentity): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'oidc-identity',
  value: JSON.stringify([issuer, subject]),
  refusal: { code: 'IDENTITY_TAKEN', message: 'This identity is bound to another user.' },
});

export const isSameIdentity = (a: OidcIdentity | null, b: OidcIdentity): boolean =>
  a?.issuer === b.issuer && a.subject === b.subject;

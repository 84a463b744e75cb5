import { z } from 'zod';
import type { Claim } from '../eventsourcing/aggregate.js';
import { conflict, invalid } from '../eventsourcing/domain-error.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { isCommonPassword } from '../security/common-passwords.js';
import { Email, emailKey, line } from './fields.js';
import { personal, secret } from './personal.js';

const MIN_LENGTH = 10;
const MAX_LENGTH = 128;
/**
 * Minimum length of a local part that passwords must not contain. Shorter local parts, such as `ann`, occur in many
 * passwords by chance.
 */
const MIN_LOCAL_PART = 4;

function weaknessOf(password: string): string | undefined {
  if (password.trim() === '') return 'Must not consist only of spaces.';
  if (new Set(password).size === 1) return 'Must not repeat a single character.';
  return isCommonPassword(password) ? 'Must not be one of the most common passwords. Choose another one.' : undefined;
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * A plaintext password. It occurs only in requests, never in events. Its length is counted in code points, as in JSON
 * Schema.
 */
export const Password = z
  .string()
  .normalize('NFC')
  .superRefine((text, context) => {
    const length = Array.from(text).length;
    const isLong = length >= MIN_LENGTH && length <= MAX_LENGTH;
    const message = isLong ? weaknessOf(folded(text)) : 'Must have 10 to 128 characters.';
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ minLength: MIN_LENGTH, maxLength: MAX_LENGTH });

const REVEALED = 'Must not contain the e-mail address or the part of it before the @.';

function isRevealed(password: string, email: string): boolean {
  const [clear, address] = [folded(password), folded(email)];
  const [localPart = ''] = address.split('@');
  return clear.includes(address) || (localPart.length >= MIN_LOCAL_PART && clear.includes(localPart));
}

/** Rejects a password that contains the e-mail address from the same request. */
export const unlikeEmail = z.refine<{ email: string; password: string }>(
  ({ email, password }) => !isRevealed(password, email),
  { path: ['password'], error: REVEALED },
);

/** Rejects a new password that contains the account's e-mail address. @throws DomainError invalid */
export function ensureUnlike(email: string, newPassword: string): void {
  if (isRevealed(newPassword, email)) throw invalid([{ path: 'newPassword', message: REVEALED }]);
}

export const FullName = line(120);
export const Credentials = z.strictObject({ fullName: FullName, email: Email, password: Password }).check(unlikeEmail);

// Schemas for the name, e-mail address and password hash in events.
export const recordedName = personal(z.string());
export const recordedEmail = personal(z.string());
export const recordedPasswordHash = secret(z.string());

/**
 * Addresses are unique per tenant and among operators. Sign-in reads this claim, which lists the owners of the address
 * across all tenants.
 */
export const emailClaim = (email: string): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'user-email',
  value: emailKey(email),
  refusal: { code: 'EMAIL_TAKEN', message: 'Another user has this e-mail address.' },
});

/** Determines which sessions of a user or operator are valid. Each session stores the epoch in which it began. */
export type SessionRule = {
  /**
   * Incremented by every event that ends existing sessions: a password change, factor removal, deactivation or
   * deletion.
   */
  epoch: number;
  /** The only session that remained valid after the last increment; null if there is none. */
  keptSessionId: string | null;
};

export const PasswordChange = z.object({
  passwordHash: recordedPasswordHash,
  /** The session in which the owner changed the password. It remains valid. */
  keptSessionId: z.exactOptional(z.string()),
});
type PasswordChange = z.output<typeof PasswordChange>;

/** A password change by the account's owner. `epoch` is the account's epoch when the current password was verified. */
export type OwnPassword = PasswordChange & { readonly epoch: number };

export const noSessions = ({ epoch }: SessionRule): SessionRule => ({ epoch: epoch + 1, keptSessionId: null });

export const newPassword = (state: SessionRule, change: PasswordChange): SessionRule & { passwordHash: string } => ({
  passwordHash: change.passwordHash,
  epoch: state.epoch + 1,
  keptSessionId: change.keptSessionId ?? null,
});

export const RemoveFactors = z.strictObject({ reason: line(500) }).meta({ id: 'RemoveFactorsDto' });

/** An administrator's removal of all second factors from an account, which also ends the account's sessions. */
export const FactorsRemoval = z.object({ reason: z.string() });

/** `count`: number of second factors that the account has. */
export type FactorsRemoval = z.output<typeof FactorsRemoval> & { readonly count: number };

/** @throws DomainError conflict NO_FACTORS */
export function ensureHasFactors({ count }: FactorsRemoval): void {
  if (count === 0) throw conflict('NO_FACTORS', 'The account has no second factors.');
}

/** Creates a 400 error rather than a 401, because clients interpret a 401 as an expired session. */
export const wrongPassword = () => invalid([{ path: 'currentPassword', message: 'The current password is wrong.' }]);

/**
 * A person's identity at an OpenID provider. Unlike an e-mail address, the combination of issuer and subject is never
 * reassigned.
 */
export const OidcIdentity = z.object({ issuer: z.string(), subject: personal(z.string()) });
export type OidcIdentity = z.output<typeof OidcIdentity>;

/** Claim used to find the user or operator bound to an identity in any tenant. */
export const identityClaim = ({ issuer, subject }: OidcIdentity): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'oidc-identity',
  value: JSON.stringify([issuer, subject]),
  refusal: { code: 'IDENTITY_TAKEN', message: 'This identity is bound to another user.' },
});

export const isSameIdentity = (a: OidcIdentity | null, b: OidcIdentity): boolean =>
  a?.issuer === b.issuer && a.subject === b.subject;

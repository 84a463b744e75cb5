import { z } from 'zod';
import type { Claim } from '../eventsourcing/aggregate.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { Email, emailKey, line } from './fields.js';
import { Password, unlikeEmail } from './password-strength.js';
import { personal, secret } from './personal.js';

export const FullName = line(120);
export const Credentials = z.strictObject({ fullName: FullName, email: Email, password: Password }).check(unlikeEmail);

// Schemas of the same fields in events.
export const recordedName = personal(z.string());
export const recordedEmail = personal(z.string());
export const recordedPasswordHash = secret(z.string());

/** Addresses are unique per tenant and among operators. Sign-in reads this claim, which lists owners of all tenants. */
export const emailClaim = (email: string): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'user-email',
  value: emailKey(email),
  refusal: { code: 'EMAIL_TAKEN', message: 'Another user has this e-mail address.' },
});

/** Determines which sessions of a user or operator are valid. Each session stores the epoch in which it began. */
export type SessionRule = {
  /** Incremented by every event that ends existing sessions: password change, deactivation, deletion. */
  epoch: number;
  /** The one session that survived the last increment. */
  keptSessionId: string | null;
};

export const PasswordChange = z.object({
  passwordHash: recordedPasswordHash,
  /** The session in which the owner changed the password. It stays valid. */
  keptSessionId: z.exactOptional(z.string()),
});
type PasswordChange = z.output<typeof PasswordChange>;

/** A password change by the account's owner. `epoch` is that of the verified current password. */
export type OwnPassword = PasswordChange & { readonly epoch: number };

export const noSessions = ({ epoch }: SessionRule): SessionRule => ({ epoch: epoch + 1, keptSessionId: null });

export const newPassword = (state: SessionRule, change: PasswordChange): SessionRule & { passwordHash: string } => ({
  passwordHash: change.passwordHash,
  epoch: state.epoch + 1,
  keptSessionId: change.keptSessionId ?? null,
});

/** Not a 401, which clients treat as an expired session. */
export const wrongPassword = () => invalid([{ path: 'currentPassword', message: 'The current password is wrong.' }]);

import { z } from 'zod';
import type { Claim } from '../platform/aggregate.js';
import { invalid } from '../platform/domain-error.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { Email, emailKey, line } from './fields.js';
import { personal, secret } from './personal.js';

/** A password in clear: only in a request, never in an event. Characters are code points, as in JSON Schema. */
export const Password = z
  .string()
  .refine((text) => {
    const length = Array.from(text).length;
    return length >= 10 && length <= 128;
  }, 'Must have 10 to 128 characters.')
  .meta({ minLength: 10, maxLength: 128 });

export const FullName = line(120);
/** Who a person is and how they sign in, as requests give it. */
export const Credentials = z.strictObject({ fullName: FullName, email: Email, password: Password });

// As events hold them.
export const recordedName = personal(z.string());
export const recordedEmail = personal(z.string());
export const recordedPasswordHash = secret(z.string());

/** Users of all tenants and operators share one space of e-mail addresses. */
export const emailClaim = (email: string): Claim => ({
  scope: PLATFORM_TENANT,
  kind: 'user-email',
  value: emailKey(email),
  refusal: { code: 'EMAIL_TAKEN', message: 'This e-mail address is in use.' },
});

/** Which sessions of a user or operator still count; a session remembers the epoch in which it began. */
export type SessionRule = {
  /** Grows with whatever ends the sessions there are: another password, deactivation, deletion. */
  epoch: number;
  /** The one session that the last of these did not end. */
  keptSessionId: string | null;
};

export const PasswordChange = z.object({
  passwordHash: recordedPasswordHash,
  /** The session in which its owner changed it, and which goes on. */
  keptSessionId: z.exactOptional(z.string()),
});
type PasswordChange = z.output<typeof PasswordChange>;

/** A password that its owner changes, who knew the one of `epoch`. */
export type OwnPassword = PasswordChange & { readonly epoch: number };

export const noSessions = ({ epoch }: SessionRule): SessionRule => ({ epoch: epoch + 1, keptSessionId: null });

export const newPassword = (state: SessionRule, change: PasswordChange): SessionRule & { passwordHash: string } => ({
  passwordHash: change.passwordHash,
  epoch: state.epoch + 1,
  keptSessionId: change.keptSessionId ?? null,
});

/** No 401: clients take that for a lost session. */
export const wrongPassword = () => invalid([{ path: 'currentPassword', message: 'The current password is wrong.' }]);

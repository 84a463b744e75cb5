import { z } from 'zod';
import type { Claim } from '../platform/aggregate.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { Email, line } from './fields.js';
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
  value: email.trim().toLowerCase(),
  refusal: { code: 'EMAIL_TAKEN', message: 'This e-mail address is in use.' },
});

import { z } from 'zod';
import { named } from './shapes.js';

export const TokensDto = named(
  'TokensDto',
  z.object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Lifetime of the access token in seconds.' }),
  }),
);

/** The response to a sign-in or step-up that requires additional proof. */
export const FactorRequiredDto = named(
  'FactorRequiredDto',
  z.object({
    factorRequired: z.literal(true),
    factorToken: z
      .string()
      .meta({ description: 'Token for completing the sign-in or step-up. Valid for five minutes.' }),
    methods: z.array(z.enum(['TOTP', 'PASSKEY', 'RECOVERY_CODE', 'PASSWORD'])).meta({
      description: 'Accepted proofs. PASSWORD is accepted only for step-up, and only if the account has no factor.',
    }),
    options: z.looseObject({}).nullable().meta({
      description: 'Options for `navigator.credentials.get`, as JSON; null if there is no passkey for this host.',
    }),
  }),
);

export const TOO_MANY_SIGN_INS =
  'RATE_LIMITED: too many failed attempts. Wait for the number of seconds in Retry-After before you retry.';

export const WITH_FACTOR =
  'Each code, recovery code or passkey assertion is accepted only once. Failed attempts are rate limited in the ' +
  'same way as wrong passwords.';

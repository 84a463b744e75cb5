import { z } from 'zod';
import { parseSchedules } from './jobs/job-schedules.js';
import { parseTrustedProxies } from './security/addresses.js';

// Types of settings. An empty value is treated as missing.

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const empty = (value: unknown) => (value === '' ? undefined : value);
export const ROLES = ['http', 'projections', 'forwarder', 'policies', 'jobs'] as const;
/** A part of the service's work to which a process can be restricted. */
export type Role = (typeof ROLES)[number];
export const roles = z
  .string()
  .default(ROLES.join(','))
  .transform((text) => text.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(ROLES)).nonempty())
  .transform((given): readonly Role[] => ROLES.filter((role) => given.includes(role)));

export const url = (...schemes: readonly string[]) =>
  z.string().refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)), {
    error: `Must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });
export const proxies = z
  .string()
  .default('false')
  .transform((text, context) => {
    const parsed = parseTrustedProxies(text);
    if (parsed !== undefined) return parsed;
    context.addIssue({
      code: 'custom',
      message: 'Must be true, false, a number up to 10, or a list of addresses and networks.',
    });
    return z.NEVER;
  });
export const optional = <S extends z.ZodType>(schema: S) => z.preprocess(empty, schema.optional());

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/;
export const hostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .pipe(z.array(z.string().regex(HOST_NAME, { error: 'Must be host names without scheme and port.' })));

/** Requests per minute. */
export const perMinute = (value: number) =>
  z.preprocess(empty, z.coerce.number().int().min(1).max(1_000_000_000).default(value));

export const days = (value: number) => z.preprocess(empty, z.coerce.number().min(0.01).max(3_650).default(value));

export const schedules = z.string().superRefine((text, context) => {
  try {
    parseSchedules(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

/** A bearer token (RFC 6750) that is too long to guess. */
export const BEARER_TOKEN = /^(?=.{16,512}$)[\w.~+/-]+=*$/;

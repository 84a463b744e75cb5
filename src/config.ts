import { readFileSync } from 'node:fs';
import { z } from 'zod';
import './eventsourcing/validation-messages.js';
import { targetFault } from './security/addresses.js';
import { isTrustworthy } from './security/oidc.js';
import {
  BEARER_TOKEN,
  days,
  empty,
  flag,
  hostNames,
  optional,
  perMinute,
  proxies,
  type Role,
  ROLES,
  roles,
  schedules,
  url,
} from './setting-kinds.js';

export type { Role };

/** Every setting, with its default and description. The table in the README is generated from this schema. */
export const settings = z.object({
  NODE_ENV: z
    .preprocess(empty, z.enum(['development', 'production', 'test']).default('development'))
    .describe('In `production`, the service creates no records on start except the first operator (`OPERATOR_EMAIL`).'),
  PORT: z
    .preprocess(empty, z.coerce.number().int().min(0).max(65_535).default(3000))
    .describe('Port to listen on. 0 chooses a free port.'),
  HOST: z.preprocess(empty, z.string().default('127.0.0.1')).describe('Address to listen on.'),
  TRUST_PROXY: z
    .preprocess(empty, proxies)
    .describe(
      'Take the client address from `X-Forwarded-For`: `true` for one proxy, the number of chained proxies, or a comma-separated list of addresses and CIDR ranges. Use it only behind your own proxies.',
    ),
  EVENTSTORE_URL: optional(url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover')).describe(
    'Connection string of EventStoreDB 23.10 or 24.10 (`esdb://…` or `kurrentdb://…`). Default: a SQLite file in `DATA_DIR`.',
  ),
  MONGODB_URL: optional(url('mongodb', 'mongodb+srv')).describe(
    'MongoDB URL for the read models; its path names the database. Default: a SQLite file in `DATA_DIR`.',
  ),
  NATS_URL: optional(url('nats', 'tls')).describe(
    'Comma-separated `nats://` or `tls://` URLs of NATS with JetStream for integration events. Default: a SQLite file in `DATA_DIR`.',
  ),
  NATS_CREDS_FILE: optional(z.string()).describe('Credentials file of the NATS user (`.creds`: JWT and NKey seed).'),
  NATS_NKEY_FILE: optional(z.string()).describe('File with the NKey seed of the NATS user (`SU…`).'),
  NATS_TLS_CA_FILE: optional(z.string()).describe(
    'PEM file with the certificate authorities for NATS. If any `NATS_TLS_…` setting is set, TLS is required.',
  ),
  NATS_TLS_CERT_FILE: optional(z.string()).describe('PEM file with the client certificate for NATS.'),
  NATS_TLS_KEY_FILE: optional(z.string()).describe("PEM file with the client certificate's private key."),
  NATS_TLS_FIRST: z
    .preprocess(empty, flag.default(false))
    .describe('Start the TLS handshake first (`handshake_first` on the NATS server).'),
  NATS_STREAM_REPLICAS: optional(z.coerce.number().int().min(1).max(5)).describe(
    'Number of replicas of the `KONTOR` stream, if Kontor creates it. Default: 3 if `NATS_URL` lists three or more servers, otherwise 1.',
  ),
  NATS_STREAM_MAX_AGE_HOURS: optional(z.coerce.number().min(0.01).max(876_000)).describe(
    'Maximum age of messages in a stream that Kontor creates, in hours. Default: no limit.',
  ),
  NATS_STREAM_MAX_BYTES: optional(z.coerce.number().int().min(1_048_576).max(Number.MAX_SAFE_INTEGER)).describe(
    'Maximum size of a stream that Kontor creates, in bytes; the oldest messages are removed first. Default: no limit.',
  ),
  REDIS_URL: optional(url('redis', 'rediss')).describe(
    'Redis URL for the cache and rate limits. Default: the memory of each process.',
  ),
  ROLES: z
    .preprocess(empty, roles)
    .describe(
      'Comma-separated roles of this process. Unless all roles are listed, `EVENTSTORE_URL` and `MONGODB_URL` are required.',
    ),
  DATA_DIR: z
    .preprocess(empty, z.string().default('./data'))
    .describe('Folder for the embedded engines and generated keys.'),
  BACKUP_DIR: optional(z.string()).describe(
    'Folder for backups, shared by all replicas. Default: `backups` in `DATA_DIR`. Protect it like the history.',
  ),
  BACKUPS_KEPT: z
    .preprocess(empty, z.coerce.number().int().min(1).max(10_000).default(7))
    .describe('Number of backups to keep; older backups are removed after each successful backup.'),
  BACKUP_RECIPIENT: optional(
    z.string().regex(/^age1[02-9ac-hj-np-z]+$/, { error: 'Must be an age public key (age1…).' }),
  ).describe(
    'The age public key (`age1…`) for which backups are encrypted. `npm run restore` then requires the identity. Default: not encrypted.',
  ),
  RESTORE_FORWARD: z
    .preprocess(empty, z.enum(['wait', 'all']).default('wait'))
    .describe(
      'Behavior of a forwarder without a checkpoint, for example after a restore: `wait` until an operator resumes the forwarder, or publish `all` events again.',
    ),
  SUBSCRIBERS: z
    .preprocess(empty, z.enum(['worker', 'inline']).default('worker'))
    .describe(
      'Run projections and the forwarder in a `worker` thread, or `inline` in the thread that serves requests.',
    ),
  JOB_SCHEDULES: optional(schedules).describe(
    'Job schedules in UTC, separated by semicolons: `name=pattern` (five-field cron) or `name=off`; `off` alone disables all other jobs. By default, each job runs on its predefined schedule.',
  ),
  OPERATOR_EMAIL: optional(z.email()).describe(
    'E-mail address of the first operator, who is created on start if no operator has this address.',
  ),
  OPERATOR_PASSWORD: optional(z.string().min(10).max(128)).describe('Password of that operator, 10 to 128 characters.'),
  SEED_DEMO: z
    .preprocess(empty, flag.optional())
    .describe('Create a demo tenant on first start. Default: `true` in development; always off in production.'),
  JWT_ISSUER: z.preprocess(empty, z.string().default('kontor')).describe('Issuer (`iss`) of access tokens.'),
  JWT_AUDIENCE: z.preprocess(empty, z.string().default('kontor')).describe('Audience (`aud`) of access tokens.'),
  JWT_SIGNING_KEY: optional(z.string()).describe(
    'Ed25519 private key for access tokens as a JWK, or a JWKS whose first key signs; the same for all replicas. Default: generated in `DATA_DIR`; rotate it with `npm run keys:rotate`.',
  ),
  ENCRYPTION_KEY: optional(z.string()).describe(
    '256-bit key in base64url that encrypts the secrets of authenticator apps; the same for all replicas. Default: generated in `DATA_DIR`. Keep a copy separate from your backups: without it, users have to set up their apps again.',
  ),
  OPERATOR_FACTOR: z
    .preprocess(empty, z.enum(['optional', 'required']).default('optional'))
    .describe('Whether operators must have a second factor. If `required`, operators without one can only add one.'),
  SESSION_IDLE_DAYS: days(7).describe('Number of days without a refresh after which a session ends.'),
  SESSION_MAX_DAYS: days(30).describe('Maximum duration of a session, in days since the sign-in.'),
  OIDC_ISSUER: optional(
    z.string().refine(isTrustworthy, { error: 'Must be an HTTPS URL (HTTP only on this machine).' }),
  ).describe(
    'OpenID Connect provider whose access tokens are accepted from users who are bound to one of its identities (docs/operations.md).',
  ),
  OIDC_AUDIENCE: optional(z.string()).describe(
    "Audience (`aud`) of the provider's access tokens. Default: `JWT_AUDIENCE`.",
  ),
  OIDC_TOKEN_TYPE: z
    .preprocess(empty, z.enum(['at+jwt', 'jwt']).default('at+jwt'))
    .describe(
      "Type (`typ`) of the provider's access tokens: `at+jwt` (RFC 9068), or `jwt` for providers without a separate type. With `jwt`, `OIDC_AUDIENCE` must not be a client of the provider.",
    ),
  VAPID_PUBLIC_KEY: optional(z.string()).describe(
    'Web Push (VAPID) public key, base64url; the same for all replicas. Default: a pair generated in `DATA_DIR`.',
  ),
  VAPID_PRIVATE_KEY: optional(z.string()).describe('Web Push (VAPID) private key, base64url.'),
  VAPID_SUBJECT: optional(
    z.string().regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { error: 'Must begin with mailto: or https://.' }),
  ).describe(
    'Contact address for push service operators, `mailto:` or `https://`. Default: `OPERATOR_EMAIL`. Some services require a real address.',
  ),
  WEB_PUSH_ALLOW_PRIVATE: z
    .preprocess(empty, flag.default(false))
    .describe('Allow push endpoints in private networks. Use this only for your own push service.'),
  WEB_PUSH_CA_FILE: optional(z.string()).describe('PEM file with additional CA certificates for push services.'),
  WEBHOOK_KEY: optional(z.string().regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'Must be 32 bytes in base64.' })).describe(
    'Key from which the signing secrets of webhooks are derived: 32 bytes in base64, the same for all replicas. Default: generated in `DATA_DIR`. Changing the key changes every secret.',
  ),
  WEBHOOK_ALLOW_PRIVATE: z
    .preprocess(empty, flag.default(false))
    .describe(
      'Allow webhooks and `ALERT_WEBHOOK_URL` in private networks and without TLS. Use this only for your own receivers.',
    ),
  ALERT_WEBHOOK_URL: optional(url('https', 'http')).describe(
    "Receiver of the operators' notifications (Standard Webhooks), for example a pager gateway. A receiver in a private network or without TLS requires `WEBHOOK_ALLOW_PRIVATE`; otherwise, the service does not start.",
  ),
  ALERT_WEBHOOK_SECRET: optional(
    z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, { error: 'Must be whsec_ and 24 to 64 bytes in base64.' }),
  ).describe(
    'Secret that signs messages to `ALERT_WEBHOOK_URL` (`whsec_…`), the same for all replicas. Default: generated in `DATA_DIR` (`alert-webhook-secret`).',
  ),
  INTEGRITY_KEY: optional(z.string()).describe(
    'Key that signs checkpoints of the history, in the format of C2SP signed notes (`PRIVATE+KEY+…`), the same for all replicas; further lines are the verifier keys of former signing keys. Default: generated in `DATA_DIR` (`integrity-key`).',
  ),
  INTEGRITY_WITNESS_URL: optional(url('https', 'http')).describe(
    'Address that receives every checkpoint of the history as a signed note (`POST`, `text/plain`), in order and at least once. The receiver responds with 409 to report a contradiction. Use a server that the people who run the service cannot access.',
  ),
  INTEGRITY_CHECKPOINT_SECONDS: z
    .preprocess(empty, z.coerce.number().min(1).max(3_600).default(50))
    .describe(
      'Interval between checkpoints of the history, in seconds. A checkpoint is written only if events were appended after the previous one.',
    ),
  METRICS_TOKEN: optional(
    z.string().regex(BEARER_TOKEN, { error: 'Must be at least 16 characters: letters, digits or ._~+/-' }),
  ).describe(
    'Bearer token required by `/metrics`, at least 16 characters. If it is not set, `/metrics` responds only to requests from the local machine.',
  ),
  ALLOWED_HOSTS: optional(hostNames).describe(
    'Comma-separated host names to accept; requests for other names are rejected with 421. Local names and IP addresses are always accepted. Default: all names.',
  ),
  ADDRESS_REQUESTS_PER_MINUTE: perMinute(600).describe(
    'Maximum number of sign-in and session refresh requests per minute for each client address. An IPv6 /64 network counts as one address.',
  ),
  USER_REQUESTS_PER_MINUTE: perMinute(600).describe('Maximum number of requests per minute for each user or operator.'),
  USER_WRITES_PER_MINUTE: perMinute(120).describe('Maximum number of writes per minute for each user or operator.'),
  TENANT_REQUESTS_PER_MINUTE: perMinute(6_000).describe(
    'Maximum number of requests per minute for each tenant. Partner keys have separate limits.',
  ),
  SESSION_STREAMS: z
    .preprocess(empty, z.coerce.number().int().min(1).max(1_000_000).default(16))
    .describe(
      'Maximum number of open event streams per session. A process serves at most 1,024 event streams in total.',
    ),
  USER_STREAMS: z
    .preprocess(empty, z.coerce.number().int().min(1).max(1_000_000).default(64))
    .describe('Maximum number of open event streams per user or operator.'),
  LOG_LEVEL: z
    .preprocess(empty, z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'))
    .describe('Minimum log level.'),
  READ_WAIT_MS: z
    .preprocess(empty, z.coerce.number().int().min(0).max(10_000).default(1_000))
    .describe(
      'Maximum time, in milliseconds, for which a command waits for the read models. After this time, the response contains `X-Read-Model: behind`.',
    ),
});

export type Config = Omit<z.output<typeof settings>, 'SEED_DEMO'> & { readonly SEED_DEMO: boolean };

/** Thrown for invalid settings. The message lists all of them, one per line. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are invalid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Settings that contain secrets. `<NAME>_FILE` may name a file that contains the value. */
export const secretSettings = [
  'EVENTSTORE_URL',
  'MONGODB_URL',
  'NATS_URL',
  'REDIS_URL',
  'OPERATOR_PASSWORD',
  'JWT_SIGNING_KEY',
  'ENCRYPTION_KEY',
  'VAPID_PRIVATE_KEY',
  'WEBHOOK_KEY',
  'INTEGRITY_KEY',
  'ALERT_WEBHOOK_SECRET',
  'METRICS_TOKEN',
] as const satisfies readonly (keyof z.input<typeof settings>)[];

/** Replaces `<NAME>_FILE` with the content of the file. Adds unreadable files to `faults`. */
function withFiles(given: NodeJS.ProcessEnv, faults: string[]): NodeJS.ProcessEnv {
  const environment = { ...given };
  for (const name of secretSettings) {
    const path = empty(given[`${name}_FILE`]) as string | undefined;
    if (path === undefined) continue;
    if (empty(given[name]) !== undefined) faults.push(`${name} and ${name}_FILE: set only one of them`);
    try {
      environment[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      faults.push(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
  }
  return environment;
}

/**
 * Reads the settings, and removes secrets from this process's environment, so that child processes do not inherit them.
 * @throws ConfigError
 */
export function takeConfig(): Config {
  const config = readConfig();
  for (const name of secretSettings) Reflect.deleteProperty(process.env, name);
  return config;
}

/** Reads and validates the settings. @throws ConfigError that lists every invalid setting */
export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const environment = withFiles(given, faults);
  const parsed = settings.safeParse(environment);
  if (!parsed.success) faults.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  if (Boolean(environment['OPERATOR_EMAIL']) !== Boolean(environment['OPERATOR_PASSWORD']))
    faults.push('OPERATOR_EMAIL and OPERATOR_PASSWORD: set both or neither');
  if (parsed.success) faults.push(...faultsTogether(parsed.data));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const { SEED_DEMO = parsed.data.NODE_ENV === 'development', ...config } = parsed.data;
  return { ...config, SEED_DEMO: SEED_DEMO && config.NODE_ENV !== 'production' };
}

/** Returns conflicts between settings that are individually valid. */
function faultsTogether(config: z.output<typeof settings>): string[] {
  const faults: string[] = [];
  if ((config.VAPID_PUBLIC_KEY === undefined) !== (config.VAPID_PRIVATE_KEY === undefined))
    faults.push('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY: set both or neither');
  if ((config.NATS_TLS_CERT_FILE === undefined) !== (config.NATS_TLS_KEY_FILE === undefined))
    faults.push('NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE: set both or neither');
  if (config.NATS_CREDS_FILE !== undefined && config.NATS_NKEY_FILE !== undefined)
    faults.push('NATS_CREDS_FILE and NATS_NKEY_FILE: set only one of them');
  if (sharesTooLittle(config))
    faults.push(`ROLES: a process with fewer roles than ${ROLES.join(',')} requires EVENTSTORE_URL and MONGODB_URL`);
  if (config.OIDC_ISSUER === config.JWT_ISSUER)
    faults.push("OIDC_ISSUER: must differ from JWT_ISSUER, the issuer of this service's own tokens");
  return [...faults, ...alertFaults(config)];
}

/** Returns a fault if the other settings do not allow alerts to be sent to the receiver. */
function alertFaults({ ALERT_WEBHOOK_URL: target, WEBHOOK_ALLOW_PRIVATE: isAllowed }: z.output<typeof settings>) {
  const fault = target && targetFault(target, { allowPrivate: isAllowed, allowHttp: isAllowed });
  const remedy = isAllowed ? '' : ' WEBHOOK_ALLOW_PRIVATE=true allows HTTP and private networks.';
  return fault ? [`ALERT_WEBHOOK_URL: ${fault}${remedy}`] : [];
}

/** Embedded engines belong to one process, so no other process could take on the remaining roles. */
const sharesTooLittle = ({ ROLES: given, EVENTSTORE_URL, MONGODB_URL }: z.output<typeof settings>): boolean =>
  given.length < ROLES.length && (EVENTSTORE_URL === undefined || MONGODB_URL === undefined);

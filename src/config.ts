import { z } from 'zod';
import { parseSchedules } from './jobs/job-schedules.js';
import './platform/fault-words.js';
import { isTrustworthy } from './platform/oidc.js';
import { parseTrustedProxies } from './platform/trusted-proxies.js';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const empty = (value: unknown) => (value === '' ? undefined : value);
const ROLES = ['http', 'projections', 'forwarder', 'policies', 'jobs'] as const;
/** What a process does of all that the service does. */
export type Role = (typeof ROLES)[number];
const roles = z
  .string()
  .default(ROLES.join(','))
  .transform((text) => text.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(ROLES)).nonempty())
  .transform((given): readonly Role[] => ROLES.filter((role) => given.includes(role)));

const url = (...schemes: readonly string[]) =>
  z.string().refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)), {
    error: `Must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });
const proxies = z
  .string()
  .default('false')
  .transform((text, context) => {
    const parsed = parseTrustedProxies(text);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: 'Must be true, false, a number up to 10, or addresses and networks.' });
    return z.NEVER;
  });
const optional = <S extends z.ZodType>(schema: S) => z.preprocess(empty, schema.optional());

const schedules = z.string().superRefine((text, context) => {
  try {
    parseSchedules(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

/** What fits behind `Bearer` (RFC 6750), and is too long to be guessed. */
const BEARER_TOKEN = /^(?=.{16,512}$)[\w.~+/-]+=*$/;

/** Every setting of the service, its default and its meaning; the README's table is made from these descriptions. */
export const settings = z.object({
  NODE_ENV: z
    .preprocess(empty, z.enum(['development', 'production', 'test']).default('development'))
    .describe('In `production` nothing is seeded but the operator of the settings.'),
  PORT: z
    .preprocess(empty, z.coerce.number().int().min(0).max(65_535).default(3000))
    .describe('Port to listen on; 0 takes a free one.'),
  HOST: z.preprocess(empty, z.string().default('127.0.0.1')).describe('Address to listen on.'),
  TRUST_PROXY: z
    .preprocess(empty, proxies)
    .describe(
      'Take the client address from `X-Forwarded-For`, only behind proxies of your own: `true` for one, or how many stand one behind the other, or their addresses and networks with commas between.',
    ),
  EVENTSTORE_URL: optional(url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover')).describe(
    'EventStoreDB, as its connection string (`esdb://…`). Without it the history is a SQLite file in `DATA_DIR`.',
  ),
  MONGODB_URL: optional(url('mongodb', 'mongodb+srv')).describe(
    'MongoDB for the read models; the path is the database. Without it they are a SQLite file in `DATA_DIR`.',
  ),
  NATS_URL: optional(url('nats', 'tls', 'ws', 'wss')).describe(
    'NATS with JetStream for integration events; several servers with commas between. Without it they are kept in `DATA_DIR`.',
  ),
  REDIS_URL: optional(url('redis', 'rediss')).describe(
    'Redis for the cache and for rate limits. Without it both are in the process.',
  ),
  ROLES: z
    .preprocess(empty, roles)
    .describe(
      `What this process does of \`${ROLES.join(',')}\`; default: all. Less than all needs EVENTSTORE_URL and MONGODB_URL.`,
    ),
  DATA_DIR: z
    .preprocess(empty, z.string().default('./data'))
    .describe('Folder of the embedded engines and of keys made on first start.'),
  BACKUP_DIR: optional(z.string()).describe(
    'Folder of the backups; replicas share one. Default: `backups` in `DATA_DIR`. Keep it as safe as the history itself.',
  ),
  BACKUPS_KEPT: z
    .preprocess(empty, z.coerce.number().int().min(1).max(10_000).default(7))
    .describe('How many backups are kept: older ones are removed after a success.'),
  SUBSCRIBERS: z
    .preprocess(empty, z.enum(['worker', 'inline']).default('worker'))
    .describe('Where projections and the forwarder run: in a worker thread, or in the thread that serves requests.'),
  JOB_SCHEDULES: optional(schedules).describe(
    'When jobs run, UTC: `name=pattern` (cron, five parts) or `name=off`, with semicolons between; `off` alone: those that are not named. Default: as each job says.',
  ),
  OPERATOR_EMAIL: optional(z.email()).describe('E-mail of the operator made on start, unless there is one with it.'),
  OPERATOR_PASSWORD: optional(z.string().min(10).max(128)).describe('Password of that operator.'),
  SEED_DEMO: z
    .preprocess(empty, flag.optional())
    .describe('Make a demo tenant on first start. Default: true in development, never in production.'),
  JWT_ISSUER: z.preprocess(empty, z.string().default('kontor')).describe('`iss` of access tokens.'),
  JWT_AUDIENCE: z.preprocess(empty, z.string().default('kontor')).describe('`aud` of access tokens.'),
  JWT_SIGNING_KEY: optional(z.string()).describe(
    'Private key of access tokens, an Ed25519 JWK (or JWKS, whose first key signs) as JSON, the same for all replicas. Without it one is made in `DATA_DIR`; `npm run keys:rotate` puts a new one first.',
  ),
  OIDC_ISSUER: optional(
    z.string().refine(isTrustworthy, { error: 'Must be an https address (http only on this machine).' }),
  ).describe('OpenID provider whose access tokens are accepted too; a verified e-mail address says whose they are.'),
  OIDC_AUDIENCE: optional(z.string()).describe('`aud` of its tokens. Default: JWT_AUDIENCE.'),
  VAPID_PUBLIC_KEY: optional(z.string()).describe(
    'Public key of Web Push (VAPID), base64url, with VAPID_PRIVATE_KEY; the same for all replicas. Without both a pair is made in `DATA_DIR`.',
  ),
  VAPID_PRIVATE_KEY: optional(z.string()).describe('Private key of Web Push (VAPID), base64url.'),
  VAPID_SUBJECT: optional(
    z.string().regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { error: 'Must begin with mailto: or https://.' }),
  ).describe(
    'How those who run push services reach you: a `mailto:` or `https://` address. Default: OPERATOR_EMAIL. Some services ask for a real one.',
  ),
  WEB_PUSH_ALLOW_PRIVATE: z
    .preprocess(empty, flag.default(false))
    .describe('Push to addresses in private networks, too: only for a push service of your own.'),
  WEB_PUSH_CA_FILE: optional(z.string()).describe(
    'PEM file of authorities that push services are trusted by, beside the usual ones.',
  ),
  METRICS_TOKEN: optional(
    z.string().regex(BEARER_TOKEN, { error: 'Must be 16 letters, digits or ._~+/- or more.' }),
  ).describe('Bearer token that `/metrics` asks for. Without one `/metrics` answers to this machine only.'),
  LOG_LEVEL: z
    .preprocess(empty, z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'))
    .describe('Least level that is logged.'),
  READ_WAIT_MS: z
    .preprocess(empty, z.coerce.number().int().min(0).max(10_000).default(1_000))
    .describe('How long a command waits for the read models before it answers `X-Read-Model: behind`, milliseconds.'),
});

export type Config = Omit<z.output<typeof settings>, 'SEED_DEMO'> & { readonly SEED_DEMO: boolean };

/** All faults of the environment at once, a line each. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads and checks the settings. @throws ConfigError naming every faulty setting */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = settings.safeParse(environment);
  const faults = parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (Boolean(environment['OPERATOR_EMAIL']) !== Boolean(environment['OPERATOR_PASSWORD']))
    faults.push('OPERATOR_EMAIL and OPERATOR_PASSWORD: give both or none');
  if (parsed.success) faults.push(...faultsTogether(parsed.data));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const { SEED_DEMO = parsed.data.NODE_ENV === 'development', ...config } = parsed.data;
  return { ...config, SEED_DEMO: SEED_DEMO && config.NODE_ENV !== 'production' };
}

/** What is wrong with settings that are right one by one. */
function faultsTogether(config: z.output<typeof settings>): string[] {
  const faults: string[] = [];
  if ((config.VAPID_PUBLIC_KEY === undefined) !== (config.VAPID_PRIVATE_KEY === undefined))
    faults.push('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY: give both or none');
  if (sharesTooLittle(config))
    faults.push(`ROLES: a process that does less than ${ROLES.join(',')} needs EVENTSTORE_URL and MONGODB_URL`);
  if (config.OIDC_ISSUER === config.JWT_ISSUER)
    faults.push("OIDC_ISSUER: must not be JWT_ISSUER, the name of this service's own tokens");
  return faults;
}

/** Nobody else would do the rest: the embedded engines belong to one process. */
const sharesTooLittle = ({ ROLES: given, EVENTSTORE_URL, MONGODB_URL }: z.output<typeof settings>): boolean =>
  given.length < ROLES.length && (EVENTSTORE_URL === undefined || MONGODB_URL === undefined);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_LIMITS } from '../test/support/no-limits.js';
import { ApiClient } from './api-client.js';
import { startServer, type Server } from './processes.js';

export const OPERATOR = { email: 'bench@kontor.example', password: 'bench-password-1' };
export const OWNER = { fullName: 'Owner', email: 'owner@bench.example', password: 'bench-password-2' };
const TENANT = { name: 'Bench', slug: 'bench', currency: 'EUR', timeZone: 'Europe/Berlin', owner: OWNER };
/** Node.js arguments with which the service always runs. */
export const SERVICE: readonly string[] = [
  '--enable-source-maps',
  new URL('../dist/main.js', import.meta.url).pathname,
];

/**
 * Environment of the compiled service, with a separate folder and embedded engines. Ignores servers configured in the
 * shell's environment.
 */
export const environmentOf = (directory: string): Record<string, string> => ({
  ...{ DATA_DIR: directory, PORT: '0', SEED_DEMO: 'false' },
  ...{ EVENTSTORE_URL: '', MONGODB_URL: '', NATS_URL: '', REDIS_URL: '' },
  ...{ OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password },
  ...NO_LIMITS,
  // Without this setting, the forwarder would not publish anything after a rebuild, so the figures would not include
  // publishing.
  RESTORE_FORWARD: 'all',
});

/** A tenant, and a partner key without an effective rate limit. */
export type Books = { readonly tenantId: string; readonly key: string };

export type ServiceOptions = {
  /** Folder that is kept when the service stops. If undefined, the service uses a temporary folder. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called as soon as the service listens, when its read models may still be empty. */
  readonly onListening?: (pid: number | undefined) => void;
};

/** The compiled service in a separate process, with a signed-in operator. */
export class BenchService {
  private constructor(
    private readonly server: Server,
    readonly directory: string,
    private readonly goes: boolean,
    readonly operator: ApiClient,
    readonly owner: ApiClient,
  ) {}

  static async start({ directory, env = {}, onListening }: ServiceOptions = {}): Promise<BenchService> {
    const place = directory ?? (await mkdtemp(join(tmpdir(), 'kontor-bench-')));
    const server = await startServer(SERVICE, { ...environmentOf(place), ...env });
    onListening?.(server.process.pid);
    const operator = await signedIn(server.url);
    return new BenchService(server, place, directory === undefined, operator, new ApiClient(server.url));
  }

  get url(): URL {
    return this.server.url;
  }

  get pid(): number {
    return this.server.process.pid ?? 0;
  }

  createTenant(): Promise<Books> {
    return createBooks(this.operator, this.owner);
  }

  /** Renews the tokens, which expire after fifteen minutes. Must be called before each long measurement. */
  async signIn(): Promise<void> {
    await this.operator.signIn(OPERATOR);
    await this.owner.signIn(OWNER);
  }

  /** Resolves when no read model, policy or forwarder has pending work. */
  settled(): Promise<void> {
    return settled(this.operator);
  }

  async stop(): Promise<void> {
    this.operator.close();
    this.owner.close();
    await this.server.stop();
    if (this.goes) await rm(this.directory, { recursive: true, force: true });
  }
}

/**
 * Signs the operator in once the read models are up to date, because a sign-in requires them. The wait may take an
 * hour.
 */
export async function signedIn(url: URL): Promise<ApiClient> {
  const operator = new ApiClient(url);
  while ((await operator.ask('GET', '/readyz')).status !== 200) await sleep(LOOK_EVERY_MS);
  return operator.signIn(OPERATOR);
}

/** Creates the tenant and signs its owner in. */
export async function createBooks(operator: ApiClient, owner: ApiClient): Promise<Books> {
  type Made<T> = { readonly data: T };
  const { data: tenant } = await operator.json<Made<{ id: string }>>('POST', '/api/platform/tenants', TENANT);
  await owner.signIn(OWNER);
  const wanted = { name: 'Bench', sourceId: 'bench' };
  const made = await owner.json<Made<{ id: string; key: string }>>('POST', '/api/integration-keys', wanted);
  const { id, key } = made.data;
  await operator.json('PATCH', `/api/platform/integration-keys/${id}`, { rateLimit: 1_000_000 });
  return { tenantId: tenant.id, key };
}

const LOOK_EVERY_MS = 100;
/**
 * Access tokens expire after fifteen minutes. Each sign-in appends an event, so frequent sign-ins would prevent the
 * queues from becoming empty.
 */
const SIGN_IN_EVERY_MS = 10 * 60_000;
const STANDS_STILL_MS = 5 * 60_000;

/** @throws Error if a queue has made no progress for five minutes */
export async function settled(operator: ApiClient): Promise<void> {
  let outstanding = '';
  let signedInMs = performance.now();
  await operator.signIn(OPERATOR);
  for (let sinceMs = signedInMs; performance.now() - sinceMs < STANDS_STILL_MS;) {
    await sleep(LOOK_EVERY_MS);
    const behind = (await operator.queues()).filter(({ lag }) => lag !== 0);
    if (behind.length === 0) return;
    const now = JSON.stringify(behind.map(({ name, position }) => [name, position]));
    if (now !== outstanding) [outstanding, sinceMs] = [now, performance.now()];
    if (performance.now() - signedInMs < SIGN_IN_EVERY_MS) continue;
    await operator.signIn(OPERATOR);
    signedInMs = performance.now();
  }
  throw new Error(`Queues make no progress: ${outstanding}`);
}

// The compiled service as a process, with helpers for the console's tests and screenshots. Does not use Jest, because
// screenshots are taken without Jest.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { eventually as comesTrue } from './eventually.js';
import { NO_LIMITS } from './no-limits.js';
import { hasEnded } from './server-process.js';

const ROOT = join(import.meta.dirname, '..', '..');
export const OPERATOR = { email: 'olivia@kontor.example', password: 'operator-secret' } as const;
const OWNER_PASSWORD = 'correct horse battery';
const READY = /"url":"([^"]+)","msg":"Kontor is ready"/;
const PATIENCE_MS = 30_000;

export type Shop = {
  readonly tenantId: string;
  readonly ownerToken: string;
  readonly owner: { readonly email: string; readonly password: string };
  readonly key: string;
  readonly keyId: string;
};

type Sent = { readonly method?: string; readonly token?: string; readonly key?: string; readonly body?: unknown };

/** A service with a separate port and folder. Closing the service removes the folder. */
export class ConsoleService {
  private child: ChildProcess | undefined;
  private port = '0';

  private constructor(
    private readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  url = '';

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleService> {
    const service = new ConsoleService(await mkdtemp(join(tmpdir(), 'kontor-console-')), settings);
    try {
      await service.run();
    } catch (error) {
      await service.close();
      throw error;
    }
    return service;
  }

  /** Starts the service on its existing port and folder. */
  async run(): Promise<void> {
    const { PATH = '', HOME = '' } = process.env;
    const env = {
      ...{ PATH, HOME, NODE_ENV: 'production', PORT: this.port, DATA_DIR: this.directory, SEED_DEMO: 'false' },
      ...{ OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password, JOB_SCHEDULES: 'off' },
      // Makes reads wait until they include earlier writes, even on a busy machine.
      READ_WAIT_MS: '10000',
      ...NO_LIMITS,
      ...this.settings,
    };
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js')], { cwd: ROOT, env, stdio });
    this.child = child;
    let printed = '';
    const keep = (chunk: Buffer): void => void (printed += chunk.toString());
    child.stdout.on('data', keep);
    await eventually(() => Promise.resolve(READY.test(printed) || hasEnded(child)));
    this.url = READY.exec(printed)?.[1] ?? '';
    if (this.url === '') throw new Error(`The service did not start:\n${printed}`);
    this.port = new URL(this.url).port;
    // Reads and discards request logs, because a full pipe would block the service.
    child.stdout.off('data', keep).resume();
  }

  /** Stops the service with SIGTERM and keeps its data. */
  async halt(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Stops the service, changes its history, and restarts it. */
  async rewrite(change: (history: EmbeddedEventStore) => Promise<void>): Promise<void> {
    await this.halt();
    const history = EmbeddedEventStore.open({ directory: this.directory, clock: new SystemClock() });
    await change(history).finally(() => history.close());
    await this.run();
  }

  async close(): Promise<void> {
    await this.halt();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** @throws Error unless the response has a success status */
  async call<T>(path: string, sent: Sent = {}): Promise<T> {
    const { body, method = body === undefined ? 'GET' : 'POST' } = sent;
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(sent.token !== undefined && { authorization: `Bearer ${sent.token}` }),
        ...(sent.key !== undefined && { 'x-integration-key': sent.key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  async signIn(email: string, password: string): Promise<string> {
    const { data } = await this.call<{ data: { accessToken: string } }>('/api/auth/login', {
      body: { email, password },
    });
    return data.accessToken;
  }

  operator(): Promise<string> {
    return this.signIn(OPERATOR.email, OPERATOR.password);
  }

  /** Creates a tenant with an owner and with a partner key that has no effective rate limit. */
  async openShop(name = 'Acme Trading', currency = 'EUR'): Promise<Shop> {
    const token = await this.operator();
    const slug = `shop-${randomUUID().slice(0, 8)}`;
    const owner = { fullName: 'Olga Owner', email: `olga@${slug}.example`, password: OWNER_PASSWORD };
    const body = { name, slug, currency, timeZone: 'Europe/Berlin', owner };
    const { data: tenant } = await this.call<{ data: { id: string } }>('/api/platform/tenants', { token, body });
    const ownerToken = await this.signIn(owner.email, owner.password);
    const { data } = await this.call<{ data: { id: string; key: string } }>('/api/integration-keys', {
      token: ownerToken,
      body: { name: 'Web shop', sourceId: 'shop' },
    });
    const limit = { method: 'PATCH', token, body: { rateLimit: 1_000_000 } };
    await this.call(`/api/platform/integration-keys/${data.id}`, limit);
    return { tenantId: tenant.id, ownerToken, owner, key: data.key, keyId: data.id };
  }

  /** Pushes a sale of 119.00. If its branch does not exist, the sale becomes a dead letter. */
  async sell({ key }: Shop, externalId: string, facts: object = {}): Promise<void> {
    await this.call('/api/integrations/v1/sales', {
      key,
      body: {
        externalId,
        occurredAt: '2026-03-04T10:00:00Z',
        currency: 'EUR',
        lines: [{ description: 'Espresso machine', quantity: 1, unitPrice: '100.00', taxRate: 19 }],
        ...facts,
      },
    });
  }

  /** Sends enough forbidden requests for the service to record an error. */
  async knockInVain({ ownerToken: token }: Shop): Promise<void> {
    for (let time = 0; time < 11; time += 1) await this.call('/api/platform/tenants', { token }).catch(() => undefined);
  }

  async saleStatus({ key }: Shop, externalId: string): Promise<string> {
    return (await this.call<{ status: string }>(`/api/integrations/v1/sales/${externalId}`, { key })).status;
  }

  /** Resolves when the sale has the given status. */
  async saleIs(shop: Shop, externalId: string, status: string): Promise<void> {
    await eventually(async () => (await this.saleStatus(shop, externalId)) === status);
  }
}

/** Polls until a condition holds. @throws Error if the condition does not hold within half a minute */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  await comesTrue(holds, PATIENCE_MS);
}

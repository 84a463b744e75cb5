import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Role } from '../../src/aggregates/user.aggregate.js';
import { readConfig } from '../../src/config.js';
import type { Engines } from '../../src/app/engines.js';
import { openEngines } from '../../src/app/open-engines.js';
import { seed } from '../../src/app/first-start.js';
import type { Page } from '../../src/queries/query.js';
import type { QueueState } from '../../src/observability/queue-board.js';
import type { Clock } from '../../src/ports/time.js';
import type { CustomerRecord } from '../../src/queries/account.queries.js';
import type { SaleStatus, TransactionRecord } from '../../src/queries/transaction.queries.js';
import type { TrialBalance } from '../../src/queries/trial-balance.query.js';
import { passwords } from '../../src/security/passwords.js';
import { createService, type Service } from '../../src/app/service.js';
import { eventually } from './eventually.js';
import { exchange } from './exchange.js';
import { NO_LIMITS } from './no-limits.js';
import { Reply } from './reply.js';
import { ShiftedClock } from './shifted-clock.js';

export const OPERATOR = { email: 'operator@kontor.test', password: 'operator-secret' } as const;
export const PASSWORD = 'correct horse battery';

export type Call = {
  /** Access token, sent as a bearer token. */
  readonly token?: string | undefined;
  /** Value to send in the `X-Integration-Key` header. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Request body, sent as JSON. */
  readonly body?: unknown;
  /** Request body, sent unchanged. */
  readonly raw?: string;
};

export type TestTenant = {
  readonly id: string;
  readonly slug: string;
  readonly currency: string;
  /** E-mail address of the owner, whose password is PASSWORD. */
  readonly email: string;
  /** The owner's access token. */
  readonly token: string;
};
export type TestKey = { readonly id: string; readonly sourceId: string; readonly key: string };

/** A tenant with a partner's key, as required to push sales. */
export type Books = { readonly tenant: TestTenant; readonly partner: TestKey };

type Options = {
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  /** Wraps the engines that the service uses. Subscribers use the unwrapped engines. */
  readonly between?: (engines: Engines) => Engines;
  /** Hashes passwords at production cost. */
  readonly costlyPasswords?: boolean;
};

/** Lowest cost parameters that argon2 accepts. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Polling interval and timeout for asynchronous results, in real time. */
const POLL_MS = 5;
const PATIENCE_MS = 10_000;

/** The real service on embedded engines, with a separate port and a temporary directory. */
export class TestService {
  private constructor(
    readonly directory: string,
    readonly clock: Clock,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly between: (engines: Engines) => Engines,
    private running: { service: Service; url: string },
  ) {}

  /** Warnings and errors that the service logged. */
  readonly complaints: string[] = [];
  private operatorToken: { token: string; untilMs: number } | undefined;
  private made = 0;

  static async start(options: Options = {}): Promise<TestService> {
    const { clock = new ShiftedClock(), environment = {}, between = (engines: Engines) => engines } = options;
    if (!options.costlyPasswords) passwords.cost = CHEAP;
    const directory = await mkdtemp(join(tmpdir(), 'kontor-'));
    const test = new TestService(directory, clock, environment, between, undefined as never);
    test.running = await test.open();
    return test;
  }

  get url(): string {
    return this.running.url;
  }

  get service(): Service {
    return this.running.service;
  }

  /** Stops the service as SIGTERM would, runs `meanwhile`, and restarts the service on the same data. */
  async restart(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.stop();
    await meanwhile();
    this.running = await this.open();
  }

  async close(): Promise<void> {
    await this.stop();
    // Releases the service, because Node.js never releases a suite's modules, whose variables refer to this object.
    this.running = undefined as never;
    await rm(this.directory, { recursive: true, force: true });
  }

  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, options: Call = {}): Promise<Reply> {
    const { token, key, headers = {}, body, raw = body === undefined ? undefined : JSON.stringify(body) } = options;
    const answer = await exchange(`${this.running.url}${path}`, {
      method,
      headers: {
        ...(raw !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-integration-key': key }),
        ...headers,
      },
      ...(raw !== undefined && { body: raw }),
    });
    return new Reply(answer.status, answer.headers, answer.text);
  }

  get(path: string, token?: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.call('GET', path, { token, headers });
  }

  post(path: string, body: unknown, token?: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.call('POST', path, { body, token, headers });
  }

  /** Returns an access token. @throws Error if the sign-in is rejected */
  async signIn(email: string, password: string = PASSWORD): Promise<string> {
    const reply = await this.post('/api/auth/login', { email, password });
    if (reply.status !== 200) throw new Error(`Sign-in of ${email}: ${reply.told}`);
    return (reply.data as { accessToken: string }).accessToken;
  }

  /** Discards the operator's cached token, because it belongs to another history. */
  forgetOperator(): void {
    this.operatorToken = undefined;
  }

  /** Returns an operator's access token that is valid according to the clock. */
  async operator(): Promise<string> {
    const nowMs = this.clock.nowMs();
    if (!this.operatorToken || this.operatorToken.untilMs < nowMs)
      this.operatorToken = { token: await this.signIn(OPERATOR.email, OPERATOR.password), untilMs: nowMs + 600_000 };
    return this.operatorToken.token;
  }

  async createTenant({ currency = 'EUR', timeZone = 'UTC', slug = this.fresh('tenant') } = {}): Promise<TestTenant> {
    const email = `owner@${slug}.test`;
    const owner = { fullName: `Owner of ${slug}`, email, password: PASSWORD };
    const body = { name: `Tenant ${slug}`, slug, currency, timeZone, owner };
    const reply = await this.post('/api/platform/tenants', body, await this.operator());
    return { id: reply.id, slug, currency, email, token: await this.signIn(email) };
  }

  /** Creates a user with the given role and returns an access token. */
  async createUser(tenant: TestTenant, role: Role): Promise<string> {
    const email = `${this.fresh(role.toLowerCase())}@${tenant.slug}.test`;
    const person = { fullName: `A ${role}`, email, password: PASSWORD, role };
    const reply = await this.post('/api/users', person, tenant.token);
    if (reply.status !== 201) throw new Error(`The user ${email}: ${reply.told}`);
    return this.signIn(email);
  }

  /**
   * Creates a key whose rate limit no test reaches by accident. If `rateLimit` is null, the key has the default limit.
   */
  async createKey(
    { token }: TestTenant,
    { sourceId = 'shop', rateLimit = 1_000_000 }: { sourceId?: string; rateLimit?: number | null } = {},
  ): Promise<TestKey> {
    const reply = await this.post('/api/integration-keys', { name: 'A shop', sourceId }, token);
    const { id, key } = reply.data as { id: string; key: string };
    if (rateLimit !== null) await this.setRateLimit(id, rateLimit);
    return { id, sourceId, key };
  }

  async setRateLimit(keyId: string, rateLimit: number): Promise<Reply> {
    const token = await this.operator();
    return this.call('PATCH', `/api/platform/integration-keys/${keyId}`, { token, body: { rateLimit } });
  }

  async openBooks(facts: { currency?: string; timeZone?: string } = {}): Promise<Books> {
    const tenant = await this.createTenant(facts);
    return { tenant, partner: await this.createKey(tenant) };
  }

  postSale({ key }: TestKey, sale: object, idempotencyKey?: string): Promise<Reply> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.call('POST', '/api/integrations/v1/sales', { key, headers, body: sale });
  }

  async saleStatus({ key }: TestKey, externalId: string): Promise<SaleStatus> {
    const path = `/api/integrations/v1/sales/${encodeURIComponent(externalId)}`;
    return (await this.call('GET', path, { key })).body as SaleStatus;
  }

  /** Resolves with the sale once it is BOOKED or REJECTED. */
  async settled(partner: TestKey, externalId: string): Promise<SaleStatus> {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
      const sale = await this.saleStatus(partner, externalId);
      if (sale.status !== 'ACCEPTED') return sale;
      await delay(POLL_MS);
    }
    throw new Error(`The sale ${externalId} was never booked: ${this.complaints.join('; ')}`);
  }

  /** Pushes a sale and resolves once its transactions can be read. @throws Error if the sale is not booked */
  async sell(partner: TestKey, sale: { readonly externalId: string }): Promise<SaleStatus> {
    const reply = await this.postSale(partner, sale);
    if (reply.status !== 202) throw new Error(`The sale ${sale.externalId}: ${reply.told}`);
    const settled = await this.settled(partner, sale.externalId);
    if (settled.status !== 'BOOKED') throw new Error(`The sale ${sale.externalId}: ${settled.rejection?.code ?? ''}`);
    return settled;
  }

  async customer(token: string, id: string): Promise<CustomerRecord> {
    return (await this.get(`/api/customers/${id}`, token)).data as CustomerRecord;
  }

  async customers(token: string, query = ''): Promise<Page<CustomerRecord>> {
    return (await this.get(`/api/customers?pageNumber=1&pageSize=100&${query}`, token)).body as Page<CustomerRecord>;
  }

  async transactions(token: string, query = ''): Promise<Page<TransactionRecord>> {
    const path = `/api/transactions?pageNumber=1&pageSize=100&${query}`;
    return (await this.get(path, token)).body as Page<TransactionRecord>;
  }

  async trialBalance(token: string, asOf?: string): Promise<TrialBalance> {
    const query = asOf === undefined ? '' : `?asOf=${asOf}`;
    return (await this.get(`/api/reports/trial-balance${query}`, token)).data as TrialBalance;
  }

  /** Returns the balances of the accounts that do not belong to customers, by account code. */
  async balancesByCode(token: string): Promise<Record<string, string>> {
    const { rows } = await this.trialBalance(token);
    const kept = rows.filter(({ type }) => type !== 'CUSTOMER');
    return Object.fromEntries(kept.map(({ code, balance }) => [code ?? '', balance]));
  }

  /** Resolves with the id of the first dead letter that matches the search, once one has been parked. */
  letterOf(origin: string, search: string): Promise<string> {
    const path = `/api/platform/dead-letters?origin=${origin}&search=${search}`;
    return eventually(
      async () => {
        const { body } = await this.get(path, await this.operator());
        return (body as { items: readonly { id: string }[] }).items[0]?.id;
      },
      PATIENCE_MS,
      () => path,
    );
  }

  /** Returns the queues of policies, projections, forwarders and other subscribers. */
  async queues(): Promise<readonly QueueState[]> {
    const { data } = await this.get('/api/platform/redis/queues', await this.operator());
    return (data as { queues: readonly QueueState[] }).queues;
  }

  async queue(name: string): Promise<QueueState | undefined> {
    return (await this.queues()).find((queue) => queue.name === name);
  }

  /** Resolves when the read models contain the whole history. */
  async quiet(): Promise<number> {
    const { events, progress } = this.service.engines;
    for (;;) {
      const head = await events.head();
      if (!(await progress.reached(head, PATIENCE_MS)))
        throw new Error(`Behind ${head}: ${this.complaints.join('; ')}`);
      if ((await events.head()) === head) return head;
    }
  }

  /** Returns a unique name. */
  fresh(prefix: string): string {
    this.made += 1;
    return `${prefix}-${this.made}`;
  }

  private async open(): Promise<{ service: Service; url: string }> {
    const config = readConfig({
      NODE_ENV: 'test',
      PORT: '0',
      DATA_DIR: this.directory,
      SUBSCRIBERS: 'inline',
      SEED_DEMO: 'false',
      LOG_LEVEL: 'silent',
      OPERATOR_EMAIL: OPERATOR.email,
      OPERATOR_PASSWORD: OPERATOR.password,
      READ_WAIT_MS: '10000',
      // Tests start jobs explicitly.
      JOB_SCHEDULES: 'off',
      // Tests that require checkpoints set a shorter interval.
      INTEGRITY_CHECKPOINT_SECONDS: '3600',
      ...NO_LIMITS,
      ...this.environment,
    });
    const complain = (fields: object, message: string): void => {
      const { err } = fields as { err?: unknown };
      this.complaints.push(err instanceof Error ? `${message}: ${String(err.stack)}` : message);
    };
    const logger = { info: () => undefined, warn: complain, error: complain };
    const engines = this.between(await openEngines(config, { clock: this.clock, logger }));
    const service = await createService(config, engines);
    await seed(config, service);
    return { service, url: await service.listen() };
  }

  private async stop(): Promise<void> {
    await this.running.service.close();
  }
}

/** Returns a sale with one untaxed line of 100.00. `facts` can override its members. */
export const saleOf = (externalId: string, facts: object = {}) => ({
  externalId,
  occurredAt: '2026-03-04T10:00:00.000Z',
  currency: 'EUR',
  lines: [{ description: 'Goods', quantity: 1, unitPrice: '100.00' }],
  ...facts,
});

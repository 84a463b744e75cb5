// The compiled service in a separate process, with helpers that set up a tenant only through HTTP.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exchange } from '../support/exchange.js';
import { FairLimit } from '../support/fair-limit.js';
import { NO_LIMITS } from '../support/no-limits.js';

export const ROOT = join(import.meta.dirname, '..', '..');
export const OPERATOR = { email: 'operator@kontor.test', password: 'operator-secret' } as const;
const OWNER_PASSWORD = 'correct horse battery';
const START_MS = 20_000;

export type Exit = { readonly code: number | null; readonly signal: string | null };
type Settings = Readonly<Record<string, string>>;

/**
 * Runs `use` with a data directory, and then removes the directory. If `use` fails, prints the last log lines of all
 * processes.
 */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-e2e-'));
  try {
    return await use(directory);
  } catch (error) {
    for (const kontor of running)
      process.stderr.write(`The log of process ${kontor.pid} ends:\n${kontor.endOfLog()}\n`);
    throw error;
  } finally {
    await endAll();
    await rm(directory, { recursive: true, force: true });
  }
}

// Processes that are ended after each test, because a failed test leaves its processes running.
const running = new Set<KontorProcess>();
async function endAll(): Promise<void> {
  const started = [...running].filter(({ pid }) => pid !== 0);
  for (const kontor of started) kontor.killGroup();
  await Promise.all(started.map(({ exit }) => exit));
}
afterEach(endAll);
// Jest does not call afterEach after a concurrent test.
afterAll(endAll);

export class KontorProcess {
  stdout = '';
  stderr = '';
  readonly exit: Promise<Exit>;
  private readonly child: ChildProcess;

  /** The service inherits only PATH from this process's environment. */
  constructor(directory: string, settings: Settings = {}, [program, ...args]: readonly string[] = SERVICE) {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, NODE_ENV: 'production', PORT: '0', DATA_DIR: directory, ...NO_LIMITS, ...settings };
    this.child = spawn(program ?? '', args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    running.add(this);
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.exit = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal });
      });
    });
  }

  static async ready(directory: string, settings: Settings = {}, program = SERVICE): Promise<KontorProcess> {
    const kontor = new KontorProcess(directory, settings, program);
    await kontor.url();
    return kontor;
  }

  /** Resolves with the URL that the service logs. @throws Error with all output if the service never logs a URL */
  async url(withinMs = START_MS): Promise<string> {
    const limit = new FairLimit(withinMs);
    for (;;) {
      const url = /"url":"([^"]+)","msg":"Kontor is ready"/.exec(this.stdout)?.[1];
      if (url !== undefined) return url;
      if (!running.has(this) || limit.isOver) throw new Error(`Not ready:\n${this.stdout}\n${this.stderr}`);
      await limit.pause(10);
    }
  }

  /** Stops reading the log, so that the output pipe fills up. Use `hasExited` to detect the end of the process. */
  stopReading(): void {
    this.child.stdout?.pause();
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get isRunning(): boolean {
    return running.has(this);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  send(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  /**
   * Sends a signal to the whole process group: the process, its children, and any program that wraps the process, such
   * as strace.
   */
  sendToAll(signal: 'SIGTERM' | 'SIGKILL'): void {
    process.kill(-this.pid, signal);
  }

  /** Kills the process and its children. npm's children would otherwise outlive npm, and keep its output open. */
  killGroup(): void {
    try {
      this.sendToAll('SIGKILL');
    } catch {
      // The process has already exited.
    }
  }

  /** Returns the log records with level `warn` or above. */
  complaints(): unknown[] {
    return this.log().filter(({ level }) => level >= 40);
  }

  /** Returns the names of the leases that the process holds according to its log. */
  leads(): string[] {
    const held = new Set<string>();
    for (const { msg, lease = '' } of this.log()) {
      if (msg === 'this process became the leader') held.add(lease);
      if (msg === 'this process is no longer the leader') held.delete(lease);
    }
    return [...held].toSorted();
  }

  /** Returns the ranges that the process leads according to its log, by kind of work. */
  ranges(): Readonly<Record<string, readonly number[]>> {
    const held: Record<string, readonly number[]> = {};
    for (const { msg, group = '', ranges = [] } of this.log())
      if (msg === 'this process leads these ranges') held[group.split(':')[0] ?? ''] = ranges;
    return held;
  }

  private log(): { level: number; msg: string; lease?: string; group?: string; ranges?: number[] }[] {
    const lines = this.stdout.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  }

  /** Stops the service as an operator would. @throws Error with the end of the log unless the exit code is 0 */
  async stopCleanly(): Promise<void> {
    const { code, signal } = await this.stop();
    if (code === 0) return;
    throw new Error(`It ended with code ${code}, signal ${signal}:\n${this.endOfLog()}`);
  }

  /** Returns the last log lines and all of stderr. */
  endOfLog(): string {
    return `${this.stdout.split('\n').slice(-25).join('\n')}\n${this.stderr}`;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' = 'SIGTERM'): Promise<Exit> {
    this.send(signal);
    return this.exit;
  }
}
export const SERVICE: readonly string[] = [process.execPath, '--enable-source-maps', join(ROOT, 'dist', 'main.js')];

/** Settings of a service without demo data, with an operator. */
export const PLAIN: Settings = {
  SEED_DEMO: 'false',
  LOG_LEVEL: 'info',
  OPERATOR_EMAIL: OPERATOR.email,
  OPERATOR_PASSWORD: OPERATOR.password,
};

export const pause = (ms: number): Promise<void> => delay(ms);

const LOOK_EVERY_MS = 20;

/** Polls until the response meets the condition. @throws Error with the last response if that takes too long */
export async function until<T>(
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
  withinMs = 15_000,
): Promise<T> {
  const limit = new FairLimit(withinMs);
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (limit.isOver) throw new Error(`Still ${JSON.stringify(answer)} after ${withinMs} ms`);
    await limit.pause(LOOK_EVERY_MS);
  }
}

type Send = { readonly method?: string; readonly token?: string; readonly body?: unknown };

/** @throws Error unless the response has a success status */
export async function call<T>(url: string, { method, token, body }: Send = {}): Promise<T> {
  const { status, text } = await exchange(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (status >= 400) throw new Error(`${url}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

/**
 * A tenant's credentials. They do not include the service's URL, so they remain valid after a restart on another port.
 */
export type Books = {
  readonly tenantId: string;
  /** The owner's access token. */
  readonly token: string;
  readonly key: string;
  readonly keyId: string;
  /** The owner's e-mail address. */
  readonly email: string;
  /** An operator's access token. */
  readonly operator: string;
};

export const tenantIdOf = ({ token }: Books): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { tid: string }).tid;

const tokenOf = async (url: string, { email, password }: { email: string; password: string }): Promise<string> =>
  (await call<{ data: { accessToken: string } }>(`${url}/api/auth/login`, { body: { email, password } })).data
    .accessToken;

/** Creates a tenant with a signed-in owner, and a partner key without an effective rate limit. */
export async function openBooks(url: string): Promise<Books> {
  const operator = await tokenOf(url, OPERATOR);
  const owner = { fullName: 'Olga Owner', email: `${randomUUID()}@kontor.test`, password: OWNER_PASSWORD };
  const tenant = { name: 'Acme', slug: `acme-${randomUUID()}`, currency: 'EUR', timeZone: 'Europe/Berlin', owner };
  const { data: created } = await call<{ data: { id: string } }>(`${url}/api/platform/tenants`, {
    token: operator,
    body: tenant,
  });
  const token = await tokenOf(url, owner);
  const {
    data: { id, key },
  } = await call<{ data: { id: string; key: string } }>(`${url}/api/integration-keys`, {
    token,
    body: { name: 'Shop', sourceId: 'shop' },
  });
  const unlimited = { method: 'PATCH', token: operator, body: { rateLimit: 1_000_000 } };
  // A replica's read models may still lag shortly after its start.
  await until(
    () => call(`${url}/api/platform/integration-keys/${id}`, unlimited).catch((error: unknown) => String(error)),
    (answer) => {
      if (typeof answer === 'string' && !answer.includes('READ_MODEL_BEHIND')) throw new Error(answer);
      return typeof answer !== 'string';
    },
  );
  return { tenantId: created.id, token, key, keyId: id, email: owner.email, operator };
}

/** Returns the credentials with new access tokens. */
export const signInAgain = async (url: string, books: Books): Promise<Books> => ({
  ...books,
  token: await tokenOf(url, { email: books.email, password: OWNER_PASSWORD }),
  operator: await tokenOf(url, OPERATOR),
});

type Queue = { readonly name: string; readonly lag: number | null };
/** Interval at which a process receives progress reports from its worker thread. */
const QUEUES_TOLD_EVERY_MS = 1_000;

/** Resolves when all policies, projections and the forwarder have processed the whole history. */
export async function caughtUp(url: string, { operator }: Books, withinMs = 60_000): Promise<void> {
  const behind = async (): Promise<readonly string[]> => {
    const { data } = await call<{ data: { queues: readonly Queue[] } }>(`${url}/api/platform/redis/queues`, {
      token: operator,
    });
    return data.queues.filter(({ lag }) => lag !== 0).map(({ name, lag }) => `${name}: ${lag}`);
  };
  // The reported state may be a second old. The second check therefore confirms that the queues were empty at the time
  // of the first.
  for (let look = 0; look < 2; look += 1) {
    if (look > 0) await pause(QUEUES_TOLD_EVERY_MS + 200);
    await until(behind, (queues) => queues.length === 0, withinMs);
  }
}

export type Answered = { readonly status: number; readonly body: string; readonly replayed: string | null };

/** Pushes a sale of 100.00 net and 119.00 gross. */
export async function postSale(
  url: string,
  { key }: Books,
  externalId: string,
  idempotencyKey = externalId,
): Promise<Answered> {
  const { status, headers, text } = await exchange(`${url}/api/integrations/v1/sales`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-integration-key': key, 'idempotency-key': idempotencyKey },
    body: JSON.stringify({
      externalId,
      occurredAt: '2026-03-04T10:00:00Z',
      currency: 'EUR',
      lines: [{ description: 'Goods', quantity: 2, unitPrice: '50.00', taxRate: 19 }],
    }),
  });
  return { status, body: text, replayed: headers['idempotent-replayed'] ?? null };
}

export const statusOf = async (url: string, { key }: Books, externalId: string): Promise<string> => {
  const { status, text } = await exchange(`${url}/api/integrations/v1/sales/${externalId}`, {
    headers: { 'x-integration-key': key },
  });
  return status < 400 ? (JSON.parse(text) as { status: string }).status : String(status);
};

/** Returns the external ids of all invoices, or of all returns, in list order. */
export async function invoices(url: string, { token }: Books, type = 'INVOICE'): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    // The total is a lower bound if there are many transactions.
    const { items, hasNextPage } = await call<{ items: { externalId: string }[]; hasNextPage: boolean }>(
      `${url}/api/transactions?pageNumber=${page}&pageSize=100&type=${type}`,
      { token },
    );
    found.push(...items.map(({ externalId }) => externalId));
    if (!hasNextPage) return found;
  }
}

export type TrialBalance = {
  readonly totalDebit: string;
  readonly totalCredit: string;
  readonly rows: readonly { readonly type: string; readonly balance: string }[];
};

export const trialBalance = async (url: string, { token }: Books): Promise<TrialBalance> =>
  (await call<{ data: TrialBalance }>(`${url}/api/reports/trial-balance`, { token })).data;

/** Partners that push sales concurrently until they are stopped or lose their connection. */
export class SaleLoad {
  /** Every sale that was sent, with its response. Undefined if there was no response. */
  readonly sent = new Map<string, Answered | undefined>();
  private stopped = false;
  private readonly partners: Promise<unknown>;

  /**
   * `intervalMs` is each connection's pause between a response and the next sale. With 0, sales are sent as fast as
   * possible.
   */
  constructor(url: string, books: Books, run: string, connections = 16, intervalMs = 0) {
    this.partners = Promise.all(
      Array.from({ length: connections }, async (_, partner) => {
        for (let count = 0; !this.stopped; count += 1) {
          await this.push(url, books, `${run}-${partner}-${count}`);
          if (intervalMs > 0) await pause(intervalMs);
        }
      }),
    );
  }

  get accepted(): string[] {
    return [...this.sent].filter(([, answered]) => answered?.status === 202).map(([externalId]) => externalId);
  }

  get unanswered(): string[] {
    return [...this.sent].filter(([, answered]) => answered === undefined).map(([externalId]) => externalId);
  }

  /** Response statuses other than 202. */
  get refused(): number[] {
    return [...this.sent.values()].flatMap((answered) =>
      answered && answered.status !== 202 ? [answered.status] : [],
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.partners;
  }

  private async push(url: string, books: Books, externalId: string): Promise<void> {
    this.sent.set(externalId, undefined);
    try {
      this.sent.set(externalId, await postSale(url, books, externalId));
    } catch {
      // The connection broke, so the sale's outcome is unknown. All partners stop.
      this.stopped = true;
    }
  }
}

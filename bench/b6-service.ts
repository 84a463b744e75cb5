import { Agent, request } from 'node:http';
import { startServer, type Server } from './processes.js';
import type { Tenant } from './b6-history.js';

const OPERATOR = { email: 'bench@kontor.example', password: 'bench-password-1' };
const OWNER = { fullName: 'Owner', email: 'owner@bench.example', password: 'owner-password-1' };

export type Answered = { readonly status: number; readonly ms: number; readonly body: string };

/** The compiled service in a process of its own on a given folder, asked over one kept connection at a time. */
export class Service {
  private token = '';
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(private readonly server: Server) {}

  static async start(directory: string): Promise<Service> {
    const main = new URL('../dist/main.js', import.meta.url).pathname;
    const server = await startServer([main], {
      ...{ DATA_DIR: directory, PORT: '0', SEED_DEMO: 'false' },
      ...{ OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password },
    });
    // A bench that fails must not leave the service behind.
    process.on('exit', () => server.process.kill());
    return new Service(server);
  }

  get pid(): number {
    return this.server.process.pid ?? 0;
  }

  async signIn(): Promise<void> {
    this.token = await this.tokenOf(OWNER);
  }

  /** A new tenant with some accounts, branches and categories, made through the API. */
  async createTenant(): Promise<Tenant> {
    this.token = await this.tokenOf(OPERATOR);
    const body = { name: 'Bench', slug: 'bench', currency: 'EUR', timeZone: 'Europe/Berlin', owner: OWNER };
    const { id } = (await this.json('POST', '/api/platform/tenants', body)).data as { id: string };
    await this.signIn();
    const made = async (path: string, body: object) =>
      ((await this.json('POST', path, body)).data as { id: string }).id;
    const each = (count: number, make: (n: number) => Promise<string>) =>
      Promise.all(Array.from({ length: count }, (_, n) => make(n + 1)));
    const expenses = await each(6, (n) => made('/api/accounts', { type: 'EXPENSE', name: `Expense ${n}` }));
    const banks = await each(4, (n) => made('/api/accounts', { type: 'BANK', name: `Bank ${n}` }));
    const branches = await each(10, (n) => made('/api/branches', { name: `Branch ${n}`, code: `B${n}` }));
    const categories = await each(20, (n) =>
      made('/api/transaction-categories', { name: `Category ${n}`, direction: 'BOTH' }),
    );
    const { items } = await this.json('GET', '/api/accounts?pageNumber=1&pageSize=100');
    const known = items as readonly { id: string; name: string }[];
    const named = (pattern: RegExp) => {
      const found = known.find(({ name }) => pattern.test(name));
      if (!found) throw new Error(`No account ${pattern.source}`);
      return found.id;
    };
    const accounts = {
      ...{ sales: named(/sales/i), tax: named(/tax|vat/i) },
      ...{ adjustments: named(/adjust/i), openingBalances: named(/opening/i) },
    };
    return { id, accounts, money: [named(/cash/i), ...banks], expenses, branches, categories };
  }

  /** Milliseconds to the last byte. */
  get(path: string): Promise<Answered> {
    return this.ask('GET', path);
  }

  async json(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> {
    const answered = await this.ask(method, path, body);
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status} ${answered.body}`);
    return JSON.parse(answered.body) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    await this.server.stop();
  }

  private async tokenOf({ email, password }: { email: string; password: string }): Promise<string> {
    const { data } = await this.json('POST', '/api/auth/login', { email, password });
    return (data as { accessToken: string }).accessToken;
  }

  private ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answered> {
    const startMs = performance.now();
    const headers = {
      ...(this.token !== '' && { authorization: `Bearer ${this.token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.server.url), { method, headers, agent: this.agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const ms = performance.now() - startMs;
          resolve({ status: response.statusCode ?? 0, ms, body: Buffer.concat(parts).toString() });
        });
        response.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(body && JSON.stringify(body));
    });
  }
}

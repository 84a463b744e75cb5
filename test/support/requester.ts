import { decodeJwt } from 'jose';
import { exchange } from './exchange.js';
import type { Route } from './route-table.js';
import { saleOf, type Books, type TestService } from './service.js';

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Paths of the reported validation errors. */
  readonly faults: readonly string[];
};
export type Sent = {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
};

type Problem = { readonly errors?: readonly { readonly path: string }[] };

/**
 * Calls any of the service's routes as a permitted caller. If the path contains an id, uses the id of an existing
 * record.
 */
export class Requester {
  private readonly ids = new Map<string, string>();

  private constructor(
    private readonly service: TestService,
    readonly books: Books,
    private readonly operator: string,
  ) {}

  static async of(service: TestService): Promise<Requester> {
    const books = await service.openBooks();
    const requester = new Requester(service, books, await service.operator());
    await service.sell(books.partner, saleOf('a-sale'));
    await requester.make();
    return requester;
  }

  /** Ids of created records, by the path with which they were created. */
  get recordIds(): ReadonlyMap<string, string> {
    return this.ids;
  }

  /** Returns the URL path of a route, with its parameters filled in. */
  addressOf({ path }: Pick<Route, 'path'>): string {
    return path.replaceAll(/\/\{(\w+)\}/g, (_, name: string, at: number) => {
      const id = name === 'externalId' ? 'a-sale' : this.ids.get(path.slice(0, at));
      return `/${id ?? this.service.service.engines.ids.next()}`;
    });
  }

  /** Returns credentials that a route accepts. */
  credentialsFor({ who }: Pick<Route, 'who'>): Readonly<Record<string, string>> {
    switch (who) {
      case 'public':
      case 'token':
        return {};
      case 'partner':
        return { 'x-integration-key': this.books.partner.key };
      case 'platform':
        return { authorization: `Bearer ${this.operator}` };
      case 'any':
      case 'tenant':
      case 'tenant-admin':
        return { authorization: `Bearer ${this.books.tenant.token}` };
      default:
        throw new Error(`Say what admits ${who}.`);
    }
  }

  async ask(route: Route, { query = '', headers = {}, raw }: Sent = {}): Promise<Answered> {
    const {
      status,
      headers: received,
      text,
    } = await exchange(`${this.service.url}${this.addressOf(route)}${query}`, {
      method: route.method,
      headers: {
        ...(raw !== undefined && { 'content-type': 'application/json' }),
        ...this.credentialsFor(route),
        ...headers,
      },
      ...(raw !== undefined && { body: raw }),
    });
    return { status, headers: received, text, faults: faultsIn(text) };
  }

  private async make(): Promise<void> {
    const { tenant, partner } = this.books;
    const { ids, service } = this;
    const made = async (path: string, body: object): Promise<void> => {
      const reply = await service.post(path, body, tenant.token);
      if (reply.status !== 201) throw new Error(`${path}: ${reply.told}`);
      ids.set(path, reply.id);
    };
    ids.set('/api/integration-keys', partner.id).set('/api/platform/integration-keys', partner.id);
    ids.set('/api/platform/tenants', tenant.id);
    await made('/api/customers', { name: 'A customer' });
    await made('/api/accounts', { type: 'EXPENSE', name: 'An account' });
    await made('/api/branches', { code: 'B', name: 'A branch' });
    await made('/api/roles', { name: 'A role', permissions: [] });
    await made('/api/users', {
      fullName: 'A user',
      email: `user@${tenant.slug}.test`,
      password: 'long enough',
      role: 'USER',
    });
    await made('/api/transaction-categories', { name: 'A category' });
    await made('/api/webhooks', { url: 'https://receiver.invalid/', types: ['kontor.period.closed.v1'] });
    const categoryId = ids.get('/api/transaction-categories');
    await made('/api/transaction-categories/rules', { categoryId, keyword: 'word' });
    await made('/api/sales', saleOf('by-hand'));
    ids.set('/api/transactions', (await service.transactions(tenant.token)).items[0]?.id ?? '');
    const notice = { title: 'A notice', body: 'For all.', broadcast: true };
    const sent = await service.post('/api/notifications/admin/send', notice, tenant.token);
    ids.set('/api/notifications', (sent.data as { notificationId: string }).notificationId);
    const factor = await service.post('/api/auth/factors', { type: 'TOTP' }, tenant.token);
    ids.set('/api/auth/factors', factor.id);
    ids.set('/api/auth/sessions', String(decodeJwt(await service.signIn(tenant.email))['sid']));
    await service.quiet();
    const { body } = await service.get('/api/audit-logs', tenant.token);
    ids.set('/api/audit-logs', (body as { items: { id: string }[] }).items[0]?.id ?? '');
  }
}

function faultsIn(text: string): string[] {
  try {
    const body = JSON.parse(text) as (Problem & { readonly error?: Problem }) | null;
    return (body?.error?.errors ?? body?.errors ?? []).map(({ path }) => path);
  } catch {
    return [];
  }
}

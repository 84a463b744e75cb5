import type { RoleDetail, UserRecord } from '../../src/queries/user.queries.js';
import type { Page } from '../../src/queries/query.js';
import type { Reply } from './reply.js';
import { PASSWORD, type TestService, type TestTenant } from './service.js';

/** A signed-in user. */
export type Member = { readonly id: string; readonly email: string; readonly token: string };

/** Manages a tenant's users and roles over HTTP. Acts as the owner unless another token is given. */
export class Team {
  private constructor(
    private readonly service: TestService,
    readonly tenant: TestTenant,
  ) {}

  static async of(service: TestService): Promise<Team> {
    return new Team(service, await service.createTenant());
  }

  get token(): string {
    return this.tenant.token;
  }

  /** Returns the owner who was created with the tenant. */
  async owner(): Promise<UserRecord> {
    const { items } = await this.list(`search=${encodeURIComponent(this.tenant.email)}`);
    if (!items[0]) throw new Error('The tenant has no owner');
    return items[0];
  }

  person(facts: object = {}): { email: string } & Readonly<Record<string, unknown>> {
    const name = this.service.fresh('person');
    return { fullName: `Some ${name}`, email: `${name}@team.test`, password: PASSWORD, role: 'USER', ...facts };
  }

  create(facts: object = {}, token = this.token): Promise<Reply> {
    return this.service.post('/api/users', this.person(facts), token);
  }

  /** Creates a user and returns its id. @throws Error if the request is rejected */
  async hire(facts: object = {}): Promise<string> {
    const reply = await this.create(facts);
    if (reply.status !== 201) throw new Error(`${reply.told}: ${reply.text}`);
    return reply.id;
  }

  async signedIn(facts: object = {}): Promise<Member> {
    const { email } = this.person(facts);
    const id = await this.hire({ ...facts, email });
    return { id, email, token: await this.service.signIn(email) };
  }

  /** Creates a role and returns its id. */
  async role(permissions: readonly string[], token = this.token): Promise<string> {
    const reply = await this.createRole({ name: this.service.fresh('role'), permissions }, token);
    if (reply.status !== 201) throw new Error(`${reply.told}: ${reply.text}`);
    return reply.id;
  }

  createRole(body: object, token = this.token): Promise<Reply> {
    return this.service.post('/api/roles', body, token);
  }

  /** Creates a user who has exactly the given permissions in addition to those of USER. */
  async memberWith(...permissions: readonly string[]): Promise<Member> {
    return this.signedIn({ roleIds: [await this.role(permissions)] });
  }

  change(id: string, patch: object, token = this.token, headers: Readonly<Record<string, string>> = {}) {
    return this.service.call('PATCH', `/api/users/${id}`, { token, body: patch, headers });
  }

  delete(id: string, token = this.token, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.service.call('DELETE', `/api/users/${id}`, { token, headers });
  }

  resetPassword(id: string, token = this.token, newPassword = 'another long password'): Promise<Reply> {
    return this.service.post(`/api/users/${id}/password`, { newPassword }, token);
  }

  get(id: string, token = this.token): Promise<Reply> {
    return this.service.get(`/api/users/${id}`, token);
  }

  async user(id: string): Promise<UserRecord> {
    return (await this.get(id)).data as UserRecord;
  }

  async list(query = '', token = this.token): Promise<Page<UserRecord>> {
    return (await this.service.get(`/api/users?pageNumber=1&pageSize=100&${query}`, token)).body as Page<UserRecord>;
  }

  async roleOf(id: string): Promise<RoleDetail> {
    return (await this.service.get(`/api/roles/${id}`, this.token)).data as RoleDetail;
  }

  async branch(facts: object = {}): Promise<string> {
    const code = this.service.fresh('B').toUpperCase();
    const reply = await this.service.post('/api/branches', { code, name: code, ...facts }, this.token);
    if (reply.status !== 201) throw new Error(`${reply.told}: ${reply.text}`);
    return reply.id;
  }
}

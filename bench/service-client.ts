import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from './processes.js';

const OPERATOR = { email: 'bench@kontor.example', password: 'bench-password-1' };
const OWNER = { fullName: 'Owner', email: 'owner@bench.example', password: 'owner-password-1' };

/** The compiled service on an empty folder, with a tenant and a partner key without a practical limit. */
export type BenchService = Server & {
  readonly directory: string;
  readonly key: string;
  readonly tenantId: string;
  get(path: string): Promise<unknown>;
  sale(externalId: string): Promise<{ status: string }>;
};

type Data<T> = { readonly data: T };

export async function startService(nodeArgs: readonly string[] = []): Promise<BenchService> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  const env = {
    DATA_DIR: directory,
    PORT: '0',
    SEED_DEMO: 'false',
    OPERATOR_EMAIL: OPERATOR.email,
    OPERATOR_PASSWORD: OPERATOR.password,
  };
  const main = new URL('../dist/main.js', import.meta.url).pathname;
  const server = await startServer([...nodeArgs, main], env);
  const call = async <T>(method: string, path: string, token: string | undefined, body?: object): Promise<T> => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const signIn = async ({ email, password }: { email: string; password: string }): Promise<string> =>
    (await call<Data<{ accessToken: string }>>('POST', '/api/auth/login', undefined, { email, password })).data
      .accessToken;
  const operator = await signIn(OPERATOR);
  const tenant = { name: 'Bench', slug: 'bench', currency: 'EUR', timeZone: 'Europe/Berlin', owner: OWNER };
  const { data: made } = await call<Data<{ id: string }>>('POST', '/api/platform/tenants', operator, tenant);
  const owner = await signIn(OWNER);
  const wanted = { name: 'Bench', sourceId: 'bench' };
  const { data: issued } = await call<Data<{ id: string; key: string }>>(
    'POST',
    '/api/integration-keys',
    owner,
    wanted,
  );
  await call('PATCH', `/api/platform/integration-keys/${issued.id}`, operator, { rateLimit: 1_000_000 });
  return {
    ...server,
    directory,
    key: issued.key,
    tenantId: made.id,
    get: (path) => call('GET', path, owner),
    sale: async (externalId) => {
      const path = `/api/integrations/v1/sales/${externalId}`;
      const response = await fetch(new URL(path, server.url), { headers: { 'x-integration-key': issued.key } });
      return (await response.json()) as { status: string };
    },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

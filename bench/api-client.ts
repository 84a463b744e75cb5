import { Agent, request } from 'node:http';

export type Answered = { readonly status: number; readonly ms: number; readonly body: string };
export type Person = { readonly email: string; readonly password: string };
export type Queue = {
  readonly name: string;
  readonly position: number | null;
  readonly head: number | null;
  readonly lag: number | null;
};

/** An HTTP client with keep-alive connections. */
export class ApiClient {
  private token = '';
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async signIn({ email, password }: Person): Promise<this> {
    this.token = '';
    const path = '/api/auth/login';
    const { data } = await this.json<{ data: { accessToken: string } }>('POST', path, { email, password });
    this.token = data.accessToken;
    return this;
  }

  get authorization(): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${this.token}` };
  }

  /** Resolves with the response, regardless of its status. `ms` is the time until its last byte has arrived. */
  ask(
    method: string,
    path: string,
    body?: string | object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const startMs = performance.now();
    const headers = {
      ...this.headers,
      ...more,
      ...(this.token !== '' && this.authorization),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.url), { method, headers, agent: this.agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const ms = performance.now() - startMs;
          resolve({ status: response.statusCode ?? 0, ms, body: Buffer.concat(parts).toString() });
        });
        response.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  }

  /** @throws Error unless the response status is a success status */
  async json<T>(method: string, path: string, body?: string | object): Promise<T> {
    const answered = await this.ask(method, path, body);
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status} ${answered.body}`);
    return JSON.parse(answered.body) as T;
  }

  /** Returns the state of all queues. Requires a signed-in operator. */
  async queues(): Promise<readonly Queue[]> {
    return (await this.json<{ data: { queues: Queue[] } }>('GET', '/api/platform/redis/queues')).data.queues;
  }

  close(): void {
    this.agent.destroy();
  }
}

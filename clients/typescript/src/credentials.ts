import { errorOf, KontorError } from './kontor-error.js';
import type { components } from './schema.js';

/** Sends a request. @throws any network error */
export type Send = (request: Request) => Promise<Response>;

type Tokens = components['schemas']['TokensDto'];
type FactorRequired = components['schemas']['FactorRequiredDto'];
/** `tenant`: slug of the tenant, if the password is correct in several tenants. */
type Account = { readonly email: string; readonly password: string; readonly tenant?: string };

/**
 * The caller's credentials: a user's e-mail address and password, a partner's integration key, or a function that
 * returns an access token. A user's session is renewed before it expires. If it has ended, the client signs in again.
 */
export type Credentials =
  Account | { readonly integrationKey: string } | { readonly accessToken: () => string | Promise<string> };

/** Signs requests with a credential. */
export interface Signer {
  sign(request: Request): Promise<void>;
  /** Called after a 401. Returns true if a retry may succeed. */
  renew(): Promise<boolean>;
}

/** Tokens are renewed this long before they expire. */
const EARLY_MS = 30_000;

export function signerOf(credentials: Credentials, url: string, send: Send): Signer {
  if ('integrationKey' in credentials) return fixed('x-integration-key', () => credentials.integrationKey);
  if ('accessToken' in credentials)
    return fixed('authorization', async () => `Bearer ${await credentials.accessToken()}`);
  return new SessionSigner(credentials, url, send);
}

const fixed = (header: string, value: () => string | Promise<string>): Signer => ({
  sign: async (request) => {
    request.headers.set(header, await value());
  },
  renew: () => Promise.resolve(false),
});

const FACTOR_REQUIRED = 'The account requires a second factor. Sign in with it, and use `accessToken` credentials.';

/** Signs in on first use. Concurrent requests that need a token share one request for it. */
class SessionSigner implements Signer {
  private tokens: (Tokens & { readonly goodUntilMs: number }) | undefined;
  private getting: Promise<void> | undefined;

  constructor(
    private readonly account: Account,
    private readonly url: string,
    private readonly send: Send,
  ) {}

  async sign(request: Request): Promise<void> {
    if (!this.tokens || this.tokens.goodUntilMs < Date.now()) await this.get();
    request.headers.set('authorization', `Bearer ${this.tokens?.accessToken ?? ''}`);
  }

  async renew(): Promise<boolean> {
    await this.get();
    return true;
  }

  private get(): Promise<void> {
    this.getting ??= this.refreshOrSignIn().finally(() => {
      this.getting = undefined;
    });
    return this.getting;
  }

  private async refreshOrSignIn(): Promise<void> {
    const answered = (await this.refreshed()) ?? (await this.ask('login', this.account));
    const body: unknown = await answered.json().catch(() => undefined);
    if (!answered.ok) throw errorOf(answered, body);
    const { data } = body as { readonly data: Tokens | FactorRequired };
    if (!('accessToken' in data)) throw new KontorError(403, 'FACTOR_REQUIRED', FACTOR_REQUIRED);
    this.tokens = { ...data, goodUntilMs: Date.now() + data.expiresIn * 1_000 - EARLY_MS };
  }

  /**
   * Renews the session. Returns undefined if there is no session, or if it has ended. After a temporary failure, the
   * session is kept for a later attempt.
   */
  private async refreshed(): Promise<Response | undefined> {
    if (!this.tokens) return undefined;
    const answer = await this.ask('refresh', { refreshToken: this.tokens.refreshToken });
    if (answer.status < 400 || answer.status === 429 || answer.status >= 500) return answer;
    this.tokens = undefined;
    await answer.body?.cancel();
    return undefined;
  }

  private ask(what: 'login' | 'refresh', body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return this.send(new Request(`${this.url}/api/auth/${what}`, sent));
  }
}

import { errorOf } from './kontor-error.js';
import type { components } from './schema.js';

/** How a request is sent. @throws whatever comes between */
export type Send = (request: Request) => Promise<Response>;

type Tokens = components['schemas']['TokensDto'];

/**
 * Who asks: somebody who signs in (the session is renewed before it ends, and begun anew where it has ended), a partner
 * with an integration key, or whoever holds the access token that the function answers.
 */
export type Credentials =
  | { readonly email: string; readonly password: string }
  | { readonly integrationKey: string }
  | { readonly accessToken: () => string | Promise<string> };

/** Puts a credential on requests. */
export interface Signer {
  sign(request: Request): Promise<void>;
  /** After a 401: true where another try may go better. */
  renew(): Promise<boolean>;
}

/** A token is renewed so long before it ends. */
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

/** Signs in when it is first needed. However many requests need a token at once, one of them gets it. */
class SessionSigner implements Signer {
  private tokens: (Tokens & { readonly goodUntilMs: number }) | undefined;
  private getting: Promise<void> | undefined;

  constructor(
    private readonly account: { readonly email: string; readonly password: string },
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
    const { data } = body as { readonly data: Tokens };
    this.tokens = { ...data, goodUntilMs: Date.now() + data.expiresIn * 1_000 - EARLY_MS };
  }

  /** Undefined where there is no session (any more). One that cannot be renewed just now goes on later. */
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

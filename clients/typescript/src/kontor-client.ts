import createClient, { type Client } from 'openapi-fetch';
import { signerOf, type Credentials, type Signer } from './credentials.js';
import { whole } from './answers.js';
import { isAway, KontorError, retryAfterOf } from './kontor-error.js';
import type { components, paths } from './schema.js';

export { data, whole } from './answers.js';
export { KontorError, type Fault } from './kontor-error.js';
export type { Credentials } from './credentials.js';
/** The shapes of the API by their names in its document: `Shapes['CustomerDto']`. */
export type Shapes = components['schemas'];

export type KontorOptions = {
  /** `https://books.example`, without a path. */
  readonly url: string;
  readonly credentials: Credentials;
  /** How often a request that may be repeated is tried in all. Default 5. */
  readonly maxTries?: number;
  /** What is longer is not waited for before the next try, milliseconds. Default 30,000. */
  readonly maxPauseMs?: number;
  /** Reads are at least as new as everything that this client was told before. Default true. */
  readonly readsOwnWrites?: boolean;
  readonly fetch?: typeof fetch;
};

export type PushedSale = { readonly receipt: Shapes['SaleReceiptDto']; readonly isReplay: boolean };

const SALES = '/api/integrations/v1/sales';
const FIRST_PAUSE_MS = 200;

/**
 * Kontor's API, typed by its OpenAPI document (`api`). Signs every request, and repeats by itself what may be repeated:
 * reads, sales, and whatever carries an Idempotency-Key, after lost connections, 429, 502, 503 and 504, at the pace that
 * Retry-After asks for. Any other write is sent once, since nobody knows what became of one that was not answered.
 */
export class KontorClient {
  readonly api: Client<paths>;
  private readonly signer: Signer;
  private readonly send: typeof fetch;
  private position = 0;

  constructor(private readonly options: KontorOptions) {
    const { url, credentials } = options;
    this.send = options.fetch ?? ((...given) => fetch(...given));
    this.signer = signerOf(credentials, url, this.send);
    this.api = createClient<paths>({ baseUrl: url, fetch: (request) => this.carryOut(request) });
  }

  /**
   * Pushes a sale. It is booked once, however often it is pushed under its externalId (and under the idempotency key).
   * @throws KontorError 409 IDEMPOTENCY_CONFLICT where the key was used for another payload
   */
  async pushSale(sale: Shapes['IntegrationSaleDto'], idempotencyKey?: string): Promise<PushedSale> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const asked = this.api.POST(SALES, { body: sale, params: { header } });
    const receipt = await whole(asked);
    return { receipt, isReplay: (await asked).response.status === 200 };
  }

  private async carryOut(request: Request): Promise<Response> {
    const { maxTries = 5, readsOwnWrites = true } = this.options;
    if (readsOwnWrites && request.method === 'GET' && this.position > 0 && !request.headers.has('x-min-position'))
      request.headers.set('x-min-position', String(this.position));
    const mayRepeat = isRepeatable(request);
    for (let tries = 1; ; tries += 1) {
      const response = await this.attempt(request, mayRepeat && tries < maxTries);
      const pauseMs = mayRepeat && tries < maxTries ? this.pauseAfter(response, tries) : undefined;
      if (pauseMs === undefined) return this.noted(response as Response);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Undefined where the connection was lost and there may be another try. @throws KontorError, and what an abort threw */
  private async attempt(request: Request, mayRepeat: boolean): Promise<Response | undefined> {
    try {
      await this.signer.sign(request);
      const response = await this.send(request.clone());
      if (response.status !== 401 || !(await this.signer.renew())) return response;
      await this.signer.sign(request);
      return await this.send(request.clone());
    } catch (error) {
      if (error instanceof KontorError || request.signal.aborted) throw error;
      if (mayRepeat) return undefined;
      throw new KontorError(0, 'UNREACHABLE', 'The service does not answer.', { cause: error });
    }
  }

  /** Undefined where the answer is to be given as it is. */
  private pauseAfter(response: Response | undefined, tries: number): number | undefined {
    if (response && response.status !== 429 && !isAway(response.status)) return undefined;
    const asked = response && retryAfterOf(response);
    const backoff = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
    const pauseMs = asked === undefined ? backoff : asked * 1_000;
    return response && pauseMs > (this.options.maxPauseMs ?? 30_000) ? undefined : pauseMs;
  }

  private noted(response: Response): Response {
    const position = Number(response.headers.get('x-event-position') ?? 0);
    if (position > this.position) this.position = position;
    return response;
  }
}

const isRepeatable = ({ method, url, headers }: Request): boolean =>
  method === 'GET' || headers.has('idempotency-key') || (method === 'POST' && new URL(url).pathname.endsWith(SALES));

import createClient, { type Client } from 'openapi-fetch';
import { signerOf, type Credentials, type Send, type Signer } from './credentials.js';
import { whole } from './answers.js';
import { errorOf, isAway, KontorError, retryAfterOf } from './kontor-error.js';
import type { components, paths } from './schema.js';

export { data, whole } from './answers.js';
export { KontorError, type Fault } from './kontor-error.js';
export type { Credentials } from './credentials.js';
/** API schemas by their names in the OpenAPI document: `Shapes['CustomerDto']`. */
export type Shapes = components['schemas'];

export type KontorOptions = {
  /** `https://books.example`, without a path. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Maximum number of attempts for a retryable request, including the first. Default: 5. */
  readonly maxTries?: number;
  /**
   * Maximum pause before a retry, in milliseconds. If a response requires more, the client gives up. Default: 65,000,
   * which covers the window of the rate limit.
   */
  readonly maxPauseMs?: number;
  /**
   * Timeout for the response, in milliseconds. A timeout counts as a lost connection. For CSV, files and event streams,
   * it applies only to the response headers. Default: 60,000.
   */
  readonly timeoutMs?: number;
  /** Whether read requests wait until they include this client's earlier writes. Default: true. */
  readonly readsOwnWrites?: boolean;
  readonly fetch?: typeof fetch;
};

type Sale = Shapes['IntegrationSaleDto'];
type Receipt = Shapes['SaleReceiptDto'];
type Valid = Shapes['ValidSaleDto'];
export type PushedSale = { readonly receipt: Receipt; readonly isReplay: boolean };
/**
 * Result for one of several sales. `receipt`: a `ValidSaleDto` only if the sales were validated. `differs`: fields in
 * which the sale differs from the accepted one with the same externalId.
 */
export type SaleResult<R = Receipt> = {
  readonly externalId: string | null;
  readonly receipt?: R;
  readonly isReplay?: boolean;
  readonly differs?: readonly string[];
  /** The error that the service returned for this sale. */
  readonly error?: KontorError;
};
type SalesList = paths[typeof SALES]['get'];
export type SalesQuery = NonNullable<SalesList['parameters']['query']>;
export type SalesPage = SalesList['responses'][200]['content']['application/json'];

const SALES = '/api/integrations/v1/sales';
const BATCH = `${SALES}/batch`;
const MAX_BATCH = 500;
const FIRST_PAUSE_MS = 200;
const MAX_TRIES = 5;

/**
 * Kontor's API. The types of `api` come from the OpenAPI document. Signs every request. Retries reads, sales and
 * requests with an Idempotency-Key after lost connections and responses with status 429, 502, 503 or 504. Respects
 * Retry-After. Any other write is sent once, because the outcome of a write without a response is unknown.
 */
export class KontorClient {
  readonly api: Client<paths, 'application/json'>;
  private readonly signer: Signer;
  private readonly send: Send;
  private position = 0;

  constructor(private readonly options: KontorOptions) {
    const { url, credentials, timeoutMs = 60_000 } = options;
    const send = options.fetch ?? ((...given) => fetch(...given));
    this.send = (request) => inTime(send, request, timeoutMs);
    this.signer = signerOf(credentials, url, this.send);
    this.api = createClient<paths, 'application/json'>({ baseUrl: url, fetch: (request) => this.carryOut(request) });
  }

  /**
   * Pushes a sale. It is booked once, however often it is pushed with the same externalId (and idempotency key).
   * @throws KontorError 409 IDEMPOTENCY_CONFLICT if the key was used for another payload
   */
  async pushSale(sale: Shapes['IntegrationSaleDto'], idempotencyKey?: string): Promise<PushedSale> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const asked = this.api.POST(SALES, { body: sale, params: { header } });
    const receipt = (await whole(asked)) as Receipt;
    return { receipt, isReplay: (await asked).response.status === 200 };
  }

  /**
   * Pushes any number of sales, in batches. A rejected sale does not affect the others. Retries sales that exceed the
   * rate limit or that the service cannot currently store. Divides batches that are too large for the service.
   * @throws KontorError if a batch fails for a reason other than its content; sales in earlier batches remain pushed,
   * and pushing all sales again is safe
   */
  pushSales(sales: readonly Sale[]): Promise<SaleResult[]> {
    return this.inBatches<Receipt>(sales, false);
  }

  /** Checks a sale as `pushSale` does, but does not store it. @throws KontorError for an invalid sale */
  async validateSale(sale: Sale, idempotencyKey?: string): Promise<Receipt | Valid> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    return whole(this.api.POST(SALES, { body: sale, params: { header, query: { validateOnly: true } } }));
  }

  /** Like `pushSales`, but does not store the sales. */
  validateSales(sales: readonly Sale[]): Promise<SaleResult<Receipt | Valid>[]> {
    return this.inBatches(sales, true);
  }

  /** Returns a page of the partner's sales, most recently accepted first. */
  sales(query: SalesQuery = {}): Promise<SalesPage> {
    return whole(this.api.GET(SALES, { params: { query } }));
  }

  private async inBatches<R>(sales: readonly Sale[], validateOnly: boolean): Promise<SaleResult<R>[]> {
    const results: SaleResult<R>[] = [];
    for (let from = 0; from < sales.length; from += MAX_BATCH)
      results.push(...(await this.divided<R>(sales.slice(from, from + MAX_BATCH), validateOnly)));
    return results;
  }

  /**
   * Halves a batch that the service rejects because of its content, until each part is accepted or consists of a single
   * sale. A sale that makes a batch of 500 invalid therefore costs at most 18 further requests.
   */
  private async divided<R>(sales: readonly Sale[], validateOnly: boolean): Promise<SaleResult<R>[]> {
    try {
      return await this.batch<R>(sales, validateOnly);
    } catch (error) {
      const [first] = sales;
      if (!first || !(error instanceof KontorError) || !isAboutContent(error)) throw error;
      if (sales.length === 1) return [{ externalId: first.externalId, error }];
      const middle = Math.ceil(sales.length / 2);
      const results = await this.divided<R>(sales.slice(0, middle), validateOnly);
      return [...results, ...(await this.divided<R>(sales.slice(middle), validateOnly))];
    }
  }

  private async batch<R>(sales: readonly Sale[], validateOnly: boolean): Promise<SaleResult<R>[]> {
    const results: SaleResult<R>[] = [];
    // The sales are identified by their index, because the list may contain the same object twice.
    for (let left = [...sales.keys()], tries = 1; ; tries += 1) {
      const body = { sales: left.map((index) => sales[index]) };
      const asked = this.api.POST(BATCH, { body, params: { query: { validateOnly } } });
      const { items } = await whole(asked);
      const { response } = await asked;
      for (const [n, item] of items.entries()) results[left[n] as number] = resultOf<R>(item, response);
      const busy = left.filter((index) => isBusy(results[index]?.error?.status));
      if (busy.length < left.length) tries = 1;
      const error = busy[0] === undefined ? undefined : results[busy[0]]?.error;
      const pauseMs = error && tries < (this.options.maxTries ?? MAX_TRIES) ? this.pauseAfter(error, tries) : undefined;
      if (pauseMs === undefined) return results;
      left = busy;
      await pause(pauseMs, new AbortController().signal);
    }
  }

  private async carryOut(request: Request): Promise<Response> {
    const { maxTries = MAX_TRIES, readsOwnWrites = true } = this.options;
    if (readsOwnWrites && request.method === 'GET' && this.position > 0 && !request.headers.has('x-min-position'))
      request.headers.set('x-min-position', String(this.position));
    const mostTries = isRepeatable(request) ? maxTries : 1;
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.attempt(request);
      const pauseMs = tries < mostTries ? this.pauseAfter(outcome, tries) : undefined;
      if (pauseMs === undefined) return this.noted(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await pause(pauseMs, request.signal);
    }
  }

  /** Returns a response, or the error that prevented one. @throws the abort reason */
  private async attempt(request: Request): Promise<Response | KontorError> {
    try {
      await this.signer.sign(request);
      const response = await this.send(request.clone());
      if (response.status !== 401 || !(await this.signer.renew())) return response;
      await response.body?.cancel();
      await this.signer.sign(request);
      return await this.send(request.clone());
    } catch (error) {
      if (request.signal.aborted) throw error;
      if (error instanceof KontorError) return error;
      return new KontorError(0, 'UNREACHABLE', 'The service does not answer.', { cause: error });
    }
  }

  /** Returns the pause before a retry. Undefined if a retry cannot succeed, or if the pause would be too long. */
  private pauseAfter(outcome: Response | KontorError, tries: number): number | undefined {
    const { status } = outcome;
    if (status !== 0 && !isBusy(status)) return undefined;
    const { maxPauseMs = 65_000 } = this.options;
    const asked = outcome instanceof KontorError ? outcome.retryAfterSeconds : retryAfterOf(outcome);
    if (asked !== undefined) return asked * 1_000 > maxPauseMs ? undefined : asked * 1_000;
    return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2), maxPauseMs);
  }

  private noted(response: Response | KontorError): Response {
    if (response instanceof KontorError) throw response;
    const position = Number(response.headers.get('x-event-position') ?? 0);
    if (position > this.position) this.position = position;
    return response;
  }
}

const isBusy = (status = 0): boolean => status === 429 || isAway(status);
/** Whether a batch was rejected because it is too large, or because its JSON is not accepted. */
const isAboutContent = ({ status, code }: KontorError): boolean =>
  status === 413 || (status === 400 && code === 'VALIDATION_FAILED');
const isRepeatable = ({ method, url, headers }: Request): boolean => {
  const { pathname } = new URL(url);
  return method === 'GET' || headers.has('idempotency-key') || pathname.endsWith(SALES) || pathname.endsWith(BATCH);
};

function resultOf<R>(item: Shapes['SaleBatchAnswerDto']['items'][number], response: Response): SaleResult<R> {
  const { externalId, status, body, differs } = item;
  if ('error' in body) return { externalId, error: errorOf(response, body, status) };
  const isReplay = status === 200 && body.status === 'ACCEPTED';
  return { externalId, receipt: body as R, isReplay, ...(differs && { differs }) };
}

/**
 * Limits the wait for the response. Reads the whole body of JSON and error responses, so that a connection that is lost
 * or stalls in the middle counts as a lost response. Other bodies may be streams and may take longer.
 */
async function inTime(send: typeof fetch, request: Request, timeoutMs: number): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
  }, timeoutMs);
  try {
    const response = await send(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    if (response.ok && !isJson(response)) return response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } finally {
    clearTimeout(timer);
  }
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '');

/** @throws the signal's abort reason */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });

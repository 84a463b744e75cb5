// The examples in the API document must be complete and valid. A running service must respond to them as the document
// specifies.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BACKGROUND_CODES, CONFLICT_MESSAGES, CONFLICTS } from '../../src/http/examples/conflicts.js';
import { SAMPLE_IDS } from '../../src/http/examples/sample-ids.js';
import { FURTHER_REQUESTS, SAMPLE_REQUESTS } from '../../src/http/examples/sample-requests.js';
import { openApiPath } from '../../src/http/openapi.js';
import { DocumentedExamples, type DocumentedOperation } from '../support/documented-examples.js';
import { exchange, type Exchanged } from '../support/exchange.js';
import { routeTable } from '../support/route-table.js';
import { TestService } from '../support/service.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
let service: TestService;
let document: DocumentedExamples;
beforeAll(async () => {
  service = await TestService.start();
  document = new DocumentedExamples(service.service.openApi());
});
afterAll(() => service.close());

/** Media type of the only responses without an example: backups and evidence. */
const BINARY = 'application/octet-stream';

describe('In the API document', () => {
  test('every operation has an example of its request, valid by its own schema', () => {
    const operations = document.operations();
    expect(operations.length).toBeGreaterThan(170);
    const examples = operations.flatMap((one) => [...one.parameters(), ...one.requests()]);
    expect(examples.flatMap((one) => document.faultsOf(one).map((fault) => `${one.of} ${fault}`))).toEqual([]);
    expect(examples.filter(({ value }) => value === '').map(({ of }) => of)).toEqual([]);
    const bare = operations.filter((one) => one.takesBody && one.requests().length === 0);
    expect(bare.map(({ name }) => name)).toEqual([]);
    const used = new Set(operations.flatMap((one) => one.requests().map(({ schema }) => String(schema['$ref']))));
    expect(Object.keys(SAMPLE_REQUESTS).filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([]);
  });

  test('every response has an example, valid by its own schema', () => {
    const responses = document
      .operations()
      .flatMap((one) => one.responses().map((each) => ({ ...each, name: one.name })));
    const bare = responses.flatMap(({ name, status, bare: types }) => types.map((type) => `${name} ${status} ${type}`));
    expect(bare.filter((one) => !one.endsWith(BINARY))).toEqual([]);
    const examples = responses.flatMap((one) => one.examples);
    expect(examples.flatMap((one) => document.faultsOf(one).map((fault) => `${one.of} ${fault}`))).toEqual([]);
  });

  test('no example contains a placeholder where a value belongs', () => {
    const examples = document.operations().flatMap((one) => one.responses().flatMap((each) => each.examples));
    const empty = examples.filter(({ value }) => /:"…"|:\{\}[,}]/.test(JSON.stringify(value)));
    expect([...new Set(empty.map(({ of, value }) => `${of}: ${JSON.stringify(value)}`))]).toEqual([]);
  });

  test('every example of an error has the status of its response', () => {
    const errors = document.operations().flatMap((one) => one.responses().filter(({ status }) => status >= 400));
    for (const { status, examples } of errors)
      for (const { of, value } of examples) {
        const { statusCode = status } = value as { statusCode?: number };
        expect([of, statusCode]).toEqual([of, status]);
      }
  });

  test('Partner Intake comes first, and an introduction and the server precede the operations', () => {
    const { info, servers, tags } = JSON.parse(service.service.openApi()) as {
      info: { description: string; version: string };
      servers: { url: string }[];
      tags: { name: string }[];
    };
    expect(tags[0]?.name).toBe('Partner Intake');
    expect(servers.map(({ url }) => url)).toEqual(['/']);
    expect(info.version).toBe(version);
    for (const word of [
      'X-Integration-Key',
      'Idempotency-Key',
      'If-Match',
      'X-Min-Position',
      'Retry-After',
      'requestId',
    ])
      expect(info.description).toContain(word);
  });
});

describe('The codes of conflicts in the document', () => {
  const root = join(import.meta.dirname, '../../src');
  const text = ['aggregates', 'commands', 'queries', 'integration', 'projecting', 'app', 'http', 'policies']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

  test('are those that the source throws, each with its message', () => {
    for (const [code, message] of Object.entries(CONFLICT_MESSAGES)) {
      const after = text.split(`'${code}'`).slice(1);
      const messages = after
        .map((rest) => /^,\s*(?:message: )?(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/.exec(rest)?.slice(1).join(''))
        .filter((found) => found !== undefined)
        .map((found) => found.replaceAll(/[.*+?^()|[\]\\]/g, '\\$&').replaceAll(/\$\{[^}]*\}/g, '.+'));
      const isShared = code.endsWith('_CODE_TAKEN') && text.includes(`message: '${message}'`);
      const isOfConstant = text.includes(`code: '${code}'`) || text.includes(`code: '${code}',\n`);
      const isKnown = messages.some((pattern) => new RegExp(`^${pattern}`).test(message)) || isShared || isOfConstant;
      expect([code, isKnown]).toEqual([code, true]);
      if (isOfConstant) expect([code, text.includes(`message: '${message}'`)]).toEqual([code, true]);
    }
  });

  test('include every code that the source throws', () => {
    const thrown = [...text.matchAll(/(?:conflict\(\s*|refusal: \{\s*code: )'([A-Z_]+)'/g)].map(
      ([, code = '']) => code,
    );
    const missing = thrown.filter((code) => !(code in CONFLICT_MESSAGES) && !BACKGROUND_CODES.includes(code));
    // The examples of this error code are generated from the route declarations.
    expect([...new Set(missing)].sort()).toEqual(['SECRET_SHOWN_ONCE']);
  });

  test('belong to operations that exist, and each to at least one', () => {
    const names = new Set(document.operations().map(({ name }) => name));
    expect(Object.keys(CONFLICTS).filter((name) => !names.has(openApiPath(name)))).toEqual([]);
    const used = new Set(Object.values(CONFLICTS).flat());
    expect(
      (Object.keys(CONFLICT_MESSAGES) as (keyof typeof CONFLICT_MESSAGES)[]).filter((code) => !used.has(code)),
    ).toEqual([]);
  });
});

/** Examples of write requests. Each follows the examples that create the records it requires. */
const STORY = [
  ...['POST /api/platform/tenants', 'PATCH /api/platform/tenants/{id}', 'POST /api/platform/operators'],
  ...['POST /api/auth/login', 'POST /api/auth/refresh', 'POST /api/auth/step-up', 'POST /api/auth/factors'],
  ...['POST /api/branches', 'PATCH /api/branches/{id}', 'POST /api/customers', 'PATCH /api/customers/{id}'],
  ...['POST /api/accounts', 'PATCH /api/accounts/{id}', 'POST /api/integration-keys'],
  ...['POST /api/integrations/v1/sales', 'POST /api/integrations/v1/sales/batch', 'POST /api/sales'],
  ...['POST /api/transaction-categories', 'PATCH /api/transaction-categories/{id}'],
  ...['POST /api/transaction-categories/rules', 'PATCH /api/transaction-categories/rules/{id}'],
  ...['PATCH /api/transaction-categories/rules/{id}/disable', 'PATCH /api/transaction-categories/rules/{id}/priority'],
  ...['POST /api/transaction-categories/rules/test', 'POST /api/transactions'],
  ...['PATCH /api/transactions/{id}/category', 'POST /api/transaction-categories/rules/{id}/apply'],
  ...['POST /api/transactions/{id}/correct', 'POST /api/transactions/{id}/cancel'],
  ...['POST /api/roles', 'PATCH /api/roles/{id}', 'PATCH /api/roles/{id}/permissions'],
  ...['POST /api/users', 'PATCH /api/users/{id}', 'POST /api/users/{id}/invitation', 'POST /api/users/{id}/password'],
  ...['POST /api/notifications/admin/send', 'PATCH /api/notifications/{id}/read', 'PATCH /api/notifications/read-all'],
  ...['POST /api/webhooks', 'PATCH /api/webhooks/{id}', 'POST /api/webhooks/{id}/recover'],
  ...['POST /api/webhooks/{id}/rotate-secret', 'PATCH /api/settings', 'PATCH /api/users/me/profile'],
  ...['POST /api/periods/close', 'POST /api/periods/reopen', 'POST /api/integration-keys/{id}/rotate'],
  ...['POST /api/notifications/push-subscriptions', 'PATCH /api/platform/integration-keys/{id}'],
  'POST /api/platform/dead-letters/replay',
  ...['POST /api/platform/dead-letters/discard', 'POST /api/platform/jobs/trigger'],
  ...['POST /api/platform/forwarders/{name}/pause', 'POST /api/platform/forwarders/{name}/resume'],
  ...['POST /api/platform/forwarders/{name}/rewind', 'POST /api/platform/projections/{name}/rebuild'],
];
/** Examples of deletions, which run after all read requests. */
const ENDING = [
  ...['DELETE /api/webhooks/{id}', 'DELETE /api/transaction-categories/rules/{id}', 'DELETE /api/users/{id}'],
  ...['DELETE /api/transaction-categories/{id}', 'PATCH /api/transaction-categories/{id}/restore'],
  ...['DELETE /api/roles/{id}', 'DELETE /api/accounts/{id}', 'DELETE /api/integration-keys/{id}'],
  ...['DELETE /api/platform/operators/{id}', 'POST /api/auth/logout'],
];
/**
 * Operations that the test skips. They read endless streams, or records that only failures, backups or other engines
 * produce.
 */
const ELSEWHERE = new Set([
  ...['GET /api/platform/dead-letters/{id}', 'GET /api/platform/error-logs/{id}', 'GET /api/platform/jobs/stream'],
  ...['GET /api/platform/jobs/execution/{executionLogId}/backup-download', 'GET /api/platform/integrity/evidence'],
  ...['GET /api/platform/integrity/proofs', 'GET /api/platform/integrity/checkpoint'],
]);

const SAMPLE = /^0199d3a0-0000-7000-8000-\d{12}$|…|^eyJ/;

/** Returns an operation's success status according to the route table. */
function successOf({ name }: DocumentedOperation): number {
  const { success = '0' } = routeTable.find((route) => route.name === name) ?? {};
  return Number(success);
}

/** Sends examples. Replaces the documented ids and secrets with the real values from earlier responses. */
class Player {
  private readonly real = new Map<string, string>();
  private operator = '';

  async signIn(): Promise<void> {
    this.operator = await service.operator();
  }

  replace(sample: string, real: string): void {
    this.real.set(sample, real);
  }

  /** Returns the id of the account named Bank, which every tenant has initially. */
  async bank(): Promise<string> {
    const { data } = await service.get('/api/accounts/lookup?search=Bank', this.realised(TOKEN));
    return (data as { id: string }[])[0]?.id ?? '';
  }

  async play(operation: DocumentedOperation): Promise<void> {
    const { status, text } = await this.send(operation);
    expect([operation.name, status, status < 300 ? '' : text]).toEqual([operation.name, successOf(operation), '']);
    if (operation.response(status) === undefined) return;
    const body: unknown = JSON.parse(text);
    expect([operation.name, operation.faultsOf(status, body)]).toEqual([operation.name, []]);
    await this.compareTable(operation, status);
    if (operation.method === 'POST' || operation.name === 'GET /api/audit-logs')
      this.learn(operation.response(status), body);
  }

  /** Expects the documented table to have the same columns as the table that the service returns. */
  private async compareTable(operation: DocumentedOperation, status: number): Promise<void> {
    const documented = operation.response(status, 'text/csv');
    if (typeof documented !== 'string') return;
    const { text } = await this.send(operation, 'text/csv');
    const columns = (table: string): string => table.split('\r\n')[0] ?? '';
    expect([operation.name, columns(documented)]).toEqual([operation.name, columns(text)]);
  }

  /** Sends the further example bodies of an operation. Returns their statuses. */
  async playFurther(operation: DocumentedOperation, schema: string): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (const body of Object.values(FURTHER_REQUESTS[schema] ?? {}))
      statuses.push((await this.send(operation, '*/*', body)).status);
    return statuses;
  }

  /** Returns the statuses and codes of the items in the documented response to a batch, and in the actual response. */
  async compareItems(operation: DocumentedOperation): Promise<readonly unknown[]> {
    type Batch = {
      readonly items: readonly { readonly status: number; readonly body: { error?: { code: string } } }[];
    };
    const { status, text } = await this.send(operation);
    const told = (batch: unknown) => (batch as Batch).items.map((item) => [item.status, item.body.error?.code]);
    return [told(operation.response(status)), told(JSON.parse(text))];
  }

  private send(operation: DocumentedOperation, accept = '*/*', further?: object): Promise<Exchanged> {
    const { method } = operation;
    const body = further ?? operation.body;
    const isKeyed = operation.name === 'POST /api/integrations/v1/sales' && further === undefined;
    return exchange(`${service.url}${this.realised(operation.address)}`, {
      method,
      headers: {
        accept,
        ...this.credentialOf(operation),
        ...(isKeyed && { 'idempotency-key': 'order-4711-attempt-1' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: this.realised(JSON.stringify(body)) }),
    });
  }

  private credentialOf({ name, isPublic, isPartners }: DocumentedOperation): Record<string, string> {
    if (isPublic) return {};
    if (isPartners) return { 'x-integration-key': this.realised('kik_3fQ9w…shown-once') };
    const token = name.includes(' /api/platform/') || name.includes('/system') ? this.operator : this.realised(TOKEN);
    return { authorization: `Bearer ${token}` };
  }

  private realised(text: string): string {
    return [...this.real].reduce((done, [sample, real]) => done.replaceAll(sample, real), text);
  }

  /**
   * Remembers the real values of the sample ids and secrets in a response. Only a receipt replaces a known id: the
   * receipt of a correction contains the id of the replacement.
   */
  private learn(example: unknown, real: unknown, isReceipt = false): void {
    if (typeof example === 'string' && typeof real === 'string') {
      if (SAMPLE.test(example) && (isReceipt || !this.real.has(example))) this.real.set(example, real);
    } else if (typeof example === 'object' && example !== null && typeof real === 'object' && real !== null)
      for (const [key, value] of Object.entries(example))
        this.learn(value, (real as Record<string, unknown>)[key], 'success' in real);
  }
}
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln';

test('A running service answers the example requests with the documented statuses and bodies', async () => {
  const player = new Player();
  await player.signIn();
  for (const name of STORY) {
    if (name === 'POST /api/transactions') {
      await service.quiet();
      player.replace(SAMPLE_IDS.bank, await player.bank());
    }
    const operation = document.operation(name);
    if (name === 'POST /api/integrations/v1/sales/batch') {
      const [documented, actual] = await player.compareItems(operation);
      expect(actual).toEqual(documented);
    }
    await player.play(operation);
    if (name === 'POST /api/integrations/v1/sales')
      expect(await player.playFurther(operation, 'IntegrationSaleDto')).toEqual([202, 202]);
  }
  await service.quiet();
  const reads = document.operations().filter(({ method, name }) => method === 'GET' && !ELSEWHERE.has(name));
  const first = reads.filter(({ name }) => name === 'GET /api/audit-logs');
  for (const operation of [...first, ...reads]) await player.play(operation);
  for (const name of ENDING) await player.play(document.operation(name));
  expect(service.complaints).toEqual([]);
});

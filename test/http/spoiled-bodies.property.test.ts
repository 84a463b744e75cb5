import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { JsonSchema } from '../../src/http/openapi-schemas.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestService, type Books } from '../support/service.js';
import { SpoiledBodies, type Spoiled } from '../support/spoiled-bodies.js';

type Operation = {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

/** Body members that must be valid, because otherwise the service does not validate the rest. */
const GIVEN: Readonly<Record<string, object>> = {
  // The job validates its own parameters.
  'POST /api/platform/jobs/trigger': { jobName: 'projection-verify' },
};

let service: TestService;
let books: Books;
let operator: string;
let document: Document;
let spoiling: SpoiledBodies;
let headBefore: number;

beforeAll(async () => {
  service = await TestService.start({ clock: new ManualClock(Date.parse('2026-03-04T10:00:00Z')) });
  books = await service.openBooks();
  operator = await service.operator();
  document = JSON.parse(service.service.openApi()) as Document;
  spoiling = new SpoiledBodies(document.components.schemas);
  headBefore = await service.quiet();
});
afterAll(() => service.close());

const operations = (): { name: string; method: 'POST'; path: string; schema: JsonSchema; isPartners: boolean }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, security }]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const isPartners = security.some((scheme) => 'IntegrationKey' in scheme);
      const schema = requestBody?.content['application/json'].schema;
      return schema === undefined ? [] : [{ name, method: method.toUpperCase() as 'POST', path, schema, isPartners }];
    }),
  );

/** Sends a request. Returns the status of the response, and the paths of its errors. */
async function answered(method: 'POST', path: string, isPartners: boolean, body: unknown) {
  const address = path.replace('{name}', 'integration-events').replace(/\{\w+\}/g, randomUUID());
  const token = path.startsWith('/api/platform/') ? operator : books.tenant.token;
  const caller = isPartners ? { key: books.partner.key } : { token };
  const reply = await service.call(method, address, { ...caller, raw: JSON.stringify(body) });
  const told = reply.body as { errors?: { path: string }[]; error?: { errors?: { path: string }[] } };
  return { status: reply.status, paths: (told.errors ?? told.error?.errors ?? []).map((error) => error.path) };
}

test('a body with one error gets 400 with its path, on every operation with a body', async () => {
  const all = operations();
  expect(all.length).toBeGreaterThan(35);
  for (const { name, method, path, schema, isPartners } of all) {
    const refused = async ({ path: place, how, body }: Spoiled): Promise<void> => {
      const { status, paths } = await answered(method, path, isPartners, body);
      expect([name, `${place} ${how}`, status, paths]).toEqual([name, `${place} ${how}`, 400, paths]);
      expect([name, how, paths]).toEqual([name, how, expect.arrayContaining([place])]);
    };
    await fc.assert(fc.asyncProperty(spoiling.of(schema, GIVEN[name]), refused), {
      numRuns: 3 * spoiling.fieldsOf(schema),
    });
  }
  const events = await service.service.engines.events.readAll({ from: headBefore });
  expect(events.map(({ type }) => type).filter((type) => type !== 'IntegrationKeyUsed')).toEqual([]);
});

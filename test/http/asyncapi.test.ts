import { asyncApiDocument } from '../../src/integration/contracts-asyncapi.js';
import { contracts } from '../../src/integration/contracts.js';

type Diagnostic = { readonly code: string | number; readonly message: string; readonly path: readonly unknown[] };
type Parsed = {
  readonly document?: Record<'channels' | 'operations' | 'messages', () => { all(): readonly unknown[] }>;
  readonly diagnostics: readonly Diagnostic[];
};
type Parser = { parse(text: string): Promise<Parsed> };

const PACKAGE: string = '@asyncapi/parser';
const parse = async (document: object): Promise<Parsed> => {
  const { Parser: Official } = (await import(PACKAGE)) as { Parser: new () => Parser };
  return new Official().parse(JSON.stringify(document));
};
const found = ({ diagnostics }: Parsed): string[] =>
  diagnostics
    // This finding is ignored, because a version 3.0 document is valid although version 3.1 exists.
    .filter(({ code }) => code !== 'asyncapi-latest-version')
    .map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`);

const INFO = { title: 'Kontor', version: '1.2.3' };

test('The AsyncAPI document passes the official parser without errors or warnings', async () => {
  const parsed = await parse(asyncApiDocument(INFO));
  expect(found(parsed)).toEqual([]);
  for (const part of ['channels', 'operations', 'messages'] as const)
    expect([part, parsed.document?.[part]().all().length]).toEqual([part, contracts.length]);
});

test.each([
  ['an operation without its channel', { operations: { lost: { action: 'send' } } }],
  ['a channel without an address, and invalid parameters', { channels: { lost: { parameters: [] } } }],
  ['another version', { asyncapi: '9.0.0' }],
])('The parser finds %s', async (_, changes) => {
  expect(found(await parse({ ...asyncApiDocument(INFO), ...changes }))).not.toEqual([]);
});

// npm run docs:contracts: generates the public contracts from the declarations. docs/openapi.json contains the routes,
// and is the source of the console's and the client's types. docs/asyncapi.json contains the integration events, and
// docs/events/ the data of each stored event. With --check, exits with code 1 if a file is out of date. Starts no
// engines.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { z } from 'zod';
import '../test/support/typescript.mjs';
import { root } from './checkout.mjs';

const { allControllers } = await import('../src/app/app.module.ts');
const { installConsole } = await import('../src/http/console-page.ts');
const { installDocs } = await import('../src/http/docs-page.ts');
const { endpointsOf } = await import('../src/http/routes.ts');
const { catalogue } = await import('../src/app/catalogue.ts');
const { asyncApiDocument } = await import('../src/integration/contracts-asyncapi.ts');
const { installKernel } = await import('../src/http/kernel.ts');
const { createServer } = await import('../src/http/server.ts');
const { version } = await import('../src/app/version.ts');

const server = createServer();
const kernel = installKernel(server, {});
const documentText = installDocs(server, kernel, { title: 'Kontor', version });
installConsole(server);
kernel.endpoints.push(...endpointsOf(allControllers));
const document = JSON.parse(documentText());

/** The document without examples, which would only lengthen the comments in the client's types. */
const withoutExamples = () => {
  const copy = structuredClone(document);
  delete copy.components.examples;
  for (const { parameters = [], requestBody, responses } of Object.values(copy.paths).flatMap(Object.values)) {
    const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}));
    for (const part of [...parameters, ...contents]) {
      delete part.example;
      delete part.examples;
    }
  }
  return copy;
};

const HEADER = '// Written by `npm run docs:contracts` from docs/openapi.json: do not edit.\n';
const EVENTS = 'docs/events';
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** JSON Schemas of each event's data in the current version, without metadata. */
const eventDocuments = () =>
  catalogue.aggregates.flatMap(({ name: entity, events }) =>
    Object.entries(events).map(([type, { version, schema, audit }]) => [
      `${EVENTS}/${type}.json`,
      json({
        type,
        stream: `${entity}-<tenantId>_<id>`,
        version,
        audited: audit !== null,
        data: z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }),
      }),
    ]),
  );

const fresh = {
  'docs/openapi.json': json(document),
  'docs/asyncapi.json': json(asyncApiDocument({ title: 'Kontor', version })),
  'clients/typescript/src/schema.ts':
    HEADER + astToString(await openapiTS(withoutExamples(), { defaultNonNullable: false })),
  ...Object.fromEntries(eventDocuments()),
};
const written = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
};
mkdirSync(join(root, EVENTS), { recursive: true });
const lost = readdirSync(join(root, EVENTS))
  .map((name) => `${EVENTS}/${name}`)
  .filter((path) => !(path in fresh));
const stale = Object.entries(fresh).filter(([path, text]) => written(path) !== text);
if (!process.argv.includes('--check')) {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
  for (const path of lost) rmSync(join(root, path));
} else if (stale.length + lost.length > 0) {
  console.error(`${[...stale.map(([path]) => path), ...lost].join(', ')}: out of date. Run npm run docs:contracts.`);
  process.exit(1);
}

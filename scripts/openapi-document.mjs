// Writes docs/openapi.json from the routes' declarations, and the console's types from that: npm run docs:openapi
// With --check: exit code 1 when either is not what the declarations say. Starts no engine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import '../test/support/typescript.mjs';
import { root } from './checkout.mjs';

const { allControllers } = await import('../src/app.module.ts');
const { installConsole } = await import('../src/http/console-page.ts');
const { installDocs } = await import('../src/http/docs-page.ts');
const { createServer, installKernel } = await import('../src/http/kernel.ts');
const { version } = await import('../src/version.ts');

/** Where RouteConfig of @nestjs/platform-fastify keeps what a method is declared as. */
const ROUTE_CONFIG = '__fastify_route_config__';

const declared = allControllers.flatMap(({ prototype }) =>
  Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const { endpoint } = Reflect.getMetadata(ROUTE_CONFIG, prototype[name]) ?? {};
    return endpoint === undefined ? [] : [endpoint];
  }),
);
const server = createServer();
const kernel = installKernel(server, {});
const documentText = installDocs(server, kernel, { title: 'Kontor', version });
installConsole(server);
kernel.endpoints.push(...declared);
const document = JSON.parse(documentText());

const HEADER = '// Written by `npm run docs:openapi` from docs/openapi.json: do not edit.\n';
const fresh = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'console/src/api/schema.d.ts': HEADER + astToString(await openapiTS(document)),
};
const written = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
};
const stale = Object.entries(fresh).filter(([path, text]) => written(path) !== text);
if (!process.argv.includes('--check')) for (const [path, text] of stale) writeFileSync(join(root, path), text);
else if (stale.length > 0) {
  console.error(`${stale.map(([path]) => path).join(', ')}: stale, npm run docs:openapi`);
  process.exit(1);
}

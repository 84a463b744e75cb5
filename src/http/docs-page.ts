import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { asyncApiDocument } from '../integration/contracts-asyncapi.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { Answer, JsonText } from './answer.js';
import type { Kernel } from './kernel.js';
import { installRoute } from './routes.js';
import { openApiDocument, type DocumentInfo } from './openapi.js';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI needs style attributes, but no style elements or inline scripts.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)}</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
</head>
<body>
<div class="swagger-ui"><p class="wrapper">Documents: <a href="/openapi.json">OpenAPI</a> for requests,
<a href="/asyncapi.json">AsyncAPI</a> for events.</p></div>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`;

// The list of all models is collapsed, because rendering it takes seconds. Each operation shows the models that it
// uses.
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null,
  docExpansion: 'none', defaultModelsExpandDepth: 0, displayRequestDuration: true, filter: true });\n`;

const SCRIPT = 'text/javascript; charset=utf-8';
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'favicon-32x32.png': 'image/png',
};

/** Returns the directory of the Swagger UI package. The page loads nothing from other origins. */
const assetFolder = (): string => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/**
 * Serves the OpenAPI document at /openapi.json and the AsyncAPI document at /asyncapi.json. The page at /docs renders
 * the OpenAPI document. Returns a function that provides the text of the OpenAPI document.
 */
export function installDocs(server: FastifyInstance, kernel: Kernel, info: DocumentInfo): () => string {
  let text: string | undefined;
  const document = (): string => (text ??= JSON.stringify(openApiDocument(kernel.endpoints, info)));
  const common = { method: 'GET', who: 'public', tag: 'Service' } as const;
  installRoute(
    server,
    {
      ...common,
      path: '/openapi.json',
      summary: 'Get this document',
      answers: { status: 200, shape: 'plain', schema: z.looseObject({ openapi: z.string() }) },
    },
    () => new Answer(new JsonText(document()), { headers: { 'cache-control': 'no-cache' } }),
  );
  installRoute(
    server,
    {
      ...common,
      path: '/docs',
      summary: 'Get the API documentation page',
      answers: { status: 200, shape: 'page-html' },
    },
    () => new Answer(PAGE(info.title), { headers: { 'content-security-policy': CSP, 'cache-control': 'no-cache' } }),
  );
  installAsyncApi(server, info);
  installAssets(server);
  return document;
}

/**
 * Serves the AsyncAPI document. This public route is not listed in the OpenAPI document, because AsyncAPI describes
 * messages instead of requests.
 */
function installAsyncApi(server: FastifyInstance, info: DocumentInfo): void {
  let text: string | undefined;
  server.get('/asyncapi.json', (_request, reply) => {
    text ??= JSON.stringify(asyncApiDocument(info));
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(text);
  });
}

// Serves the assets without a plugin for static files. Such a plugin would scan a directory of 12 MB for three files.
function installAssets(server: FastifyInstance): void {
  const cached = new Map<string, Buffer>();
  server.get<{ Params: { name: string } }>('/docs/assets/:name', async (request, reply) => {
    const { name } = request.params;
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'public, max-age=3600' });
    if (name === 'start.js') return reply.type(SCRIPT).send(START);
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    if (type === undefined) throw notFound('file');
    const content = cached.get(name) ?? (await readFile(join(assetFolder(), name)));
    cached.set(name, content);
    return reply.type(type).send(content);
  });
}

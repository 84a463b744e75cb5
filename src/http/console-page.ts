import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../platform/domain-error.js';
import { Answer } from './answer.js';
import { ConsoleFiles } from './console-files.js';
import type { Endpoint } from './endpoint.js';
import { route } from './kernel.js';

/** What the built page has where the nonce of its style elements goes. */
const NONCE_PLACE = '__STYLE_NONCE__';
const A_YEAR = 'public, max-age=31536000, immutable';

/** Nothing from elsewhere, no inline script, no style but by nonce, and no text that becomes script. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

const pageHeaders = (nonce: string): Record<string, string> => ({
  'content-security-policy': policy(nonce),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
});

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Kontor</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in Kontor's folder. <code>npm start</code> does so by itself.</p>
</body>
</html>
`;

const PAGE: Endpoint = {
  method: 'GET',
  path: '/console',
  who: 'public',
  tag: 'Console',
  summary: "The operators' console",
  description: 'A page. Every address below it answers the same page, which shows what the address names.',
  answers: { status: 200, shape: 'page-html' },
};

/** Serves the operators' console, as it is built in `folder`, at /console: one page for every address below it, and its assets. */
export function installConsole(server: FastifyInstance, folder: string): void {
  const files = new ConsoleFiles(folder);
  const page = async (): Promise<Answer> => {
    const nonce = randomBytes(16).toString('base64');
    const html = (await files.page())?.replaceAll(NONCE_PLACE, nonce) ?? NOT_BUILT;
    return new Answer(html, { headers: pageHeaders(nonce) });
  };
  route(server, PAGE, page);
  server.get('/console/*', async (_request, reply) => {
    const { body, options } = await page();
    return reply
      .headers(options.headers ?? {})
      .type('text/html; charset=utf-8')
      .send(body);
  });
  server.get<{ Params: { name: string } }>('/console/assets/:name', async (request, reply) => {
    const file = await files.asset(request.params.name, request.headers['accept-encoding']);
    if (!file) throw notFound('file');
    return sendFile(reply, file);
  });
}

function sendFile(
  reply: FastifyReply,
  { content, type, encoding }: { content: Buffer; type: string; encoding: string | undefined },
): FastifyReply {
  reply.headers({ 'cache-control': A_YEAR, 'x-content-type-options': 'nosniff', vary: 'accept-encoding' });
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.type(type).send(content);
}

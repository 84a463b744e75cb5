import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../eventsourcing/domain-error.js';
import { acceptsEncoding, prefers } from './accept.js';
import { Answer } from './answer.js';
import type { Endpoint } from './endpoint.js';
import { installRoute } from './routes.js';

/** Placeholder in the built page for the nonce of style elements. */
const NONCE_PLACE = '__STYLE_NONCE__';
const A_YEAR = 'public, max-age=31536000, immutable';

/**
 * Returns a Content-Security-Policy that allows no other origins and no inline scripts. The policy allows style
 * elements only with the nonce, and requires trusted types.
 */
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
<p>Run <code>npm run build</code> in Kontor's folder. <code>npm start</code> does this automatically.</p>
</body>
</html>
`;

const PAGE: Endpoint = {
  method: 'GET',
  path: '/console',
  who: 'public',
  tag: 'Console',
  summary: 'Get the console page',
  description: 'Every path below `/console` returns the same page, which renders the matching view.',
  answers: { status: 200, shape: 'page-html' },
};

/** Serves the console from `folder` at /console. Every address below /console that is not an asset returns the page. */
export function installConsole(server: FastifyInstance, folder: string): void {
  const files = new ConsoleFiles(folder);
  const page = async (): Promise<Answer> => {
    const nonce = randomBytes(16).toString('base64');
    const html = (await files.page())?.replaceAll(NONCE_PLACE, nonce) ?? NOT_BUILT;
    return new Answer(html, { headers: pageHeaders(nonce) });
  };
  installRoute(server, PAGE, page);
  // Redirect users who enter only the host name.
  server.get('/', (request, reply) => {
    if (!prefers(request.headers.accept, 'text/html')) throw notFound('page');
    return reply.redirect(PAGE.path, 302);
  });
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
    const { content, type, encoding } = file;
    reply.headers({ 'cache-control': A_YEAR, 'x-content-type-options': 'nosniff', vary: 'accept-encoding' });
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(type).send(content);
  });
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/**
 * Encodings in order of preference. The build writes a compressed file next to each asset that benefits from
 * compression.
 */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

type ConsoleFile = {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: string | undefined;
};

/** The console as built by `npm run build`: a page, and assets whose names change with their content. */
class ConsoleFiles {
  private readonly cached = new Map<string, Promise<Buffer>>();
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly folder: string) {}

  /** Returns the page's HTML; undefined if the console has not been built. */
  page(): Promise<string | undefined> {
    return this.read('index.html').then(String, () => undefined);
  }

  /** Returns an asset in an encoding that the client accepts; undefined if the asset does not exist. */
  async asset(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | undefined> {
    const names = (this.names ??= this.list());
    const type = TYPES[extname(name)];
    if (type === undefined || !names.has(name)) return undefined;
    const [encoding, ending] = ENCODINGS.find(
      ([token, suffix]) => acceptsEncoding(acceptEncoding, token) && names.has(name + suffix),
    ) ?? [undefined, ''];
    return { content: await this.read(join('assets', name + ending)), type, encoding };
  }

  /** Lists the files only once, so that requests for unknown names do not access the disk. */
  private list(): ReadonlySet<string> {
    try {
      return new Set(readdirSync(join(this.folder, 'assets')));
    } catch {
      return new Set();
    }
  }

  private read(path: string): Promise<Buffer> {
    const known = this.cached.get(path);
    if (known) return known;
    const reading = readFile(join(this.folder, path));
    this.cached.set(path, reading);
    reading.catch(() => this.cached.delete(path));
    return reading;
  }
}

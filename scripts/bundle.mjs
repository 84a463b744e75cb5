// node scripts/bundle.mjs: bundles the service into a few files instead of two thousand, so that it starts fast
// (docs/adr/0038). The service's own code goes to dist/, and packages go to dist/packages/. Code that only some settings
// need is in separate chunks, which are loaded on demand.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './checkout.mjs';

const DIST = join(root, 'dist');
/** Entry points: programs, and worker threads, which are started by file name. */
const ENTRIES = ['main', 'app/restore', 'app/verify', 'app/subscribers.worker', 'app/job.worker'];
/**
 * Packages that stay in node_modules: native modules, clients for optional servers, and a module that must be loaded
 * first.
 */
const APART = [
  ...['@photostructure/sqlite', '@node-rs/argon2'],
  ...['@eventstore/db-client', '@nats-io/jetstream', '@nats-io/transport-node', 'ioredis', 'mongodb'],
  'reflect-metadata',
];
/** Optional dependencies of Nest that are not installed. */
const OPTIONAL = [
  ...['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets'],
  ...['class-transformer', 'class-validator', '@fastify/multipart', '@fastify/static', '@fastify/view'],
];
const outside = [...APART, ...OPTIONAL];
const isHttp = (id) => id === 'http' || id === 'node:http';
const isOutside = (id) =>
  (id.startsWith('node:') && !isHttp(id)) || outside.some((name) => id === name || id.startsWith(`${name}/`));

/** Exports of `node:http`, except those that Node.js loads on demand. */
const HTTP = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) => (get ? [] : [name]));

/** Compilers of Fastify that only routes with Fastify schemas need. The service validates requests with zod. */
const COMPILERS = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

/**
 * Omits code and startup work that the service does not need.
 * - An import of `node:http` reads all of its exports, including WebSocket, for which Node.js loads its complete fetch
 *   client in every thread.
 * - Pino looks up its caller for transports, which the service does not use. With source maps, this look-up parses a
 *   source map.
 */
const lean = {
  name: 'lean',
  resolveId(id, importer, { kind }) {
    if (isHttp(id) && kind === 'import-statement') return '\0http';
    if (COMPILERS.includes(id)) return '\0compiler';
    return id === './lib/caller' && importer?.includes('/pino/') ? '\0caller' : null;
  },
  load(id) {
    if (id === '\0http')
      return `const http = process.getBuiltinModule('node:http');
        export default http;
        export const { ${HTTP.join(', ')} } = http;`;
    if (id === '\0compiler')
      return `module.exports = () => () => { throw new Error('The bundle supports no Fastify schemas'); };`;
    return id === '\0caller' ? 'module.exports = () => [];' : null;
  },
};

const fileOf = ({ name }) => {
  const [first, ...entries] = name.split('~');
  return first === 'packages' ? `packages/${entries.join('-')}.js` : `${name}.js`;
};

/**
 * Stack traces must refer to Kontor's own sources. Package source maps are not required, and embedded source code would
 * only use memory.
 */
function shrinkMap({ fileName, map }) {
  if (!map) return;
  const path = join(DIST, fileName);
  if (!fileName.startsWith('packages/')) {
    const { sourcesContent: _, ...rest } = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
    writeFileSync(`${path}.map`, JSON.stringify(rest));
    return;
  }
  rmSync(`${path}.map`);
  const text = readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL=.*\s*$/, '');
  writeFileSync(path, withoutAccents(text));
}

/**
 * V8 stores the text of every script in memory, with two bytes per character unless the text is entirely ASCII. The
 * option `asciiOnly` does not apply to licence comments, which contain names of authors.
 */
function withoutAccents(text) {
  const ascii = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  if (/[^\0-\x7f]/.test(ascii)) throw new Error('A bundle is not entirely ASCII');
  return ascii;
}

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((path) => [basename(path), `src/${path}.ts`])),
  platform: 'node',
  tsconfig: 'tsconfig.build.json',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  external: isOutside,
  plugins: [lean],
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
});
const { output } = await bundle.write({
  dir: DIST,
  format: 'esm',
  sourcemap: true,
  // Keeps class names, because Nest resolves some providers by name, and because logs and metrics contain these names.
  keepNames: true,
  // See withoutAccents.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
  entryFileNames: '[name].js',
  chunkFileNames: fileOf,
  codeSplitting: { groups: [{ name: 'packages', test: /node_modules/, entriesAware: true }] },
});
await bundle.close();
for (const part of output) if (part.type === 'chunk') shrinkMap(part);

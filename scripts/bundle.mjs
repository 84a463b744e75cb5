// node scripts/bundle.mjs: the service as what starts fast, a few files instead of two thousand (docs/adr/0038). Own code lies
// in dist/, packages in dist/packages/; what only some settings need is a file of its own, loaded when it is needed.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './checkout.mjs';

const DIST = join(root, 'dist');
/** Programs, and threads, which are started by the name of their file. */
const ENTRIES = ['main', 'restore', 'subscribers.worker', 'job.worker'];
/** Packages that stay in node_modules: with native parts, clients of servers that many do without, and what has to be first. */
const APART = [
  ...['@photostructure/sqlite', '@node-rs/argon2'],
  ...['@eventstore/db-client', '@nats-io/jetstream', '@nats-io/transport-node', 'ioredis', 'mongodb'],
  'reflect-metadata',
];
/** What Nest looks for and does without. */
const OPTIONAL = [
  ...['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets'],
  ...['class-transformer', 'class-validator', '@fastify/multipart', '@fastify/static', '@fastify/view'],
];
const outside = [...APART, ...OPTIONAL];
const isOutside = (id) => id.startsWith('node:') || outside.some((name) => id === name || id.startsWith(`${name}/`));

const fileOf = ({ name }) => {
  const [first, ...entries] = name.split('~');
  return first === 'packages' ? `packages/${entries.join('-')}.js` : `${name}.js`;
};

/** Stacks name the sources of Kontor: of packages nobody needs them, and the texts would only take memory. */
function shrinkMap({ fileName, map }) {
  if (!map) return;
  const path = join(DIST, fileName);
  if (!fileName.startsWith('packages/')) {
    const { sourcesContent: _, ...rest } = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
    writeFileSync(`${path}.map`, JSON.stringify(rest));
    return;
  }
  rmSync(`${path}.map`);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/\/\/# sourceMappingURL=.*\s*$/, ''));
}

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  tsconfig: 'tsconfig.build.json',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  external: isOutside,
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
});
const { output } = await bundle.write({
  dir: DIST,
  format: 'esm',
  sourcemap: true,
  // Nest finds some things by the names of their classes, and logs and metrics show others.
  keepNames: true,
  entryFileNames: '[name].js',
  chunkFileNames: fileOf,
  codeSplitting: { groups: [{ name: 'packages', test: /node_modules/, entriesAware: true }] },
});
await bundle.close();
for (const part of output) if (part.type === 'chunk') shrinkMap(part);

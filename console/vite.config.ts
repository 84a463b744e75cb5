import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '..', 'dist', 'console');
/** Minimum size of files to compress, in bytes. For smaller files, compression saves less than one network packet. */
const LEAST_BYTES = 1_400;

/**
 * Writes a .br and a .gz copy of each asset that is worth compressing, so that the service need not compress anything.
 */
const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  writeBundle() {
    const folder = join(OUT, 'assets');
    for (const name of readdirSync(folder).filter((each) => /\.(?:js|css|svg)$/.test(each))) {
      const path = join(folder, name);
      const content = readFileSync(path);
      if (content.length < LEAST_BYTES) continue;
      writeFileSync(`${path}.br`, brotliCompressSync(content));
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

/**
 * Maximum compressed size of a page's scripts and styles in any language, in bytes. It includes everything that the
 * page imports.
 */
const MOST_BYTES = 350_000;

/** Fails the build if a page becomes too large. Pages and languages are the chunks that the entry loads on demand. */
const limitedPages = (): Plugin => ({
  name: 'limited-pages',
  apply: 'build',
  generateBundle(_options, bundle) {
    const sizeOf = (name: string): number => {
      const file = bundle[name];
      return file === undefined ? 0 : gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 }).length;
    };
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const within = (names: readonly string[], seen = new Set<string>()): ReadonlySet<string> => {
      for (const chunk of chunks.filter(({ fileName }) => names.includes(fileName) && !seen.has(fileName))) {
        seen.add(chunk.fileName);
        for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
        within(chunk.imports, seen);
      }
      return seen;
    };
    const entries = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
    const isPage = ({ name }: { readonly name: string }): boolean => name.endsWith('.page');
    const onDemand = chunks.filter(({ isDynamicEntry }) => isDynamicEntry);
    const languages = onDemand.filter((chunk) => !isPage(chunk)).map(({ fileName }) => sizeOf(fileName));
    for (const { name, fileName } of onDemand.filter(isPage)) {
      const own = [...within([...entries, fileName])].reduce((sum, file) => sum + sizeOf(file), 0);
      const bytes = own + Math.max(0, ...languages);
      if (bytes > MOST_BYTES) this.error(`${name} has ${bytes} bytes compressed; the limit is ${MOST_BYTES}.`);
    }
  },
});

/** Fails the build if the styles of a component that the console uses are missing in `mantine-styles.ts`. */
const completeStyles = (): Plugin => ({
  name: 'complete-styles',
  apply: 'build',
  generateBundle(_options, bundle) {
    const all = readFileSync(fileURLToPath(import.meta.resolve('@mantine/core/styles.css')), 'utf8');
    const files = Object.values(bundle);
    const styles = files.map((file) => (file.type === 'asset' ? String(file.source) : '')).join('');
    const code = files.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
    const missing = [...new Set(code.match(/\bm_[0-9a-f]{6,9}\b/g))].filter(
      (name) => all.includes(`.${name}`) && !styles.includes(`.${name}`),
    );
    if (missing.length > 0) this.error(`mantine-styles.ts lacks the styles of ${missing.join(', ')}.`);
  },
});

/** The service's URL for `npx vite console`, which is used during development. */
const service = { target: 'http://127.0.0.1:3000', changeOrigin: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [limitedPages(), completeStyles(), precompressed()],
  // A catalogue is imported as a single value, so exporting each string separately would only enlarge it.
  json: { namedExports: false },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    // Disables inlining, because separate files can be cached separately. The content security policy would permit data
    // URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Combines the modules that many pages share, because every additional file delays the first page.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 8 }] } },
      // Disables the check, because compression always takes most of the build time.
      checks: { pluginTimings: false },
      // Ignores the "use client" directive, which thousands of library files contain and which has no meaning here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '/api': service, '/console/session': service, '/openapi.json': service } },
});

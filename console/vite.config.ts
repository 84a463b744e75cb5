import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '..', 'dist', 'console');
/** Minimum size in bytes. For smaller files, compression saves less than one network packet. */
const LEAST_BYTES = 1_400;

/**
 * Writes a .br and a .gz copy of each asset that is worth compressing, so that the service need not compress anything.
 */
const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  closeBundle() {
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

/** Address of the service for `npx vite console`, used during development. */
const service = { target: 'http://127.0.0.1:3000', changeOrigin: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [precompressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy would allow images as data URLs, but separate files can be cached separately.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Thousands of library files contain "use client", which has no meaning here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '/api': service, '/console/session': service, '/openapi.json': service } },
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '..', 'dist', 'console');
/** Below this a compressed copy saves less than a packet. */
const LEAST_BYTES = 1_400;

/** Leaves a .br and a .gz beside each asset that is worth it, so that the service compresses nothing itself. */
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

/** Where `npx vite console` finds the service while the console is worked on. */
const service = { target: 'http://127.0.0.1:3000', changeOrigin: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [precompressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    // The policy allows images as data, but a file of its own is cached apart.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Thousands of files of the libraries say "use client", which means nothing here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '/api': service, '/console/session': service, '/openapi.json': service } },
});

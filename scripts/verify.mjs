// npm run verify -- FILE [--checkpoint FILE]… [--key FILE] [--identity FILE]: installs and builds if necessary, and
// then checks a backup against signed checkpoints.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
await import('../dist/verify.js');

// npm run restore -- FILE [--verify-only] [--resume] [--identity FILE]: installs and builds if necessary, and then
// loads a backup into the configured event store. That store must not contain any Kontor events.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
await import('../dist/restore.js');

// npm run restore -- FILE [--verify-only] [--resume]: installs and builds what is missing or stale, then loads a backup
// into the empty event store that the settings name.
import { buildIfStale, install } from './checkout.mjs';

await install();
await buildIfStale();
await import('../dist/restore.js');

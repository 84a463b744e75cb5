// npm run build; with --modules what tests look into, too
import { build, install } from './checkout.mjs';

await install();
await build({ withModules: process.argv.includes('--modules') });

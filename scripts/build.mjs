// npm run build [-- --modules]: builds the service and the console. With --modules, also builds the modules that tests
// import.
import { build, install } from './checkout.mjs';

await install();
await build({ withModules: process.argv.includes('--modules') });

// npm run build
import { build, install } from './checkout.mjs';

await install();
await build();

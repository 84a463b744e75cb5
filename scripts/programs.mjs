// Which programs of the suites are here. Imports nothing but Node.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './checkout.mjs';

export const onPath = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

const mongoLibrary = process.env.MONGO_SERVER_LIB ?? join(root, 'test', 'support', 'mongo-server', 'lib');
/** What `.ci/mongo-server.sh` makes, and what runs it. */
export const hasMongoServer = () => onPath('java') && existsSync(mongoLibrary);

// Detects the programs that suites require. Uses only Node's own modules.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './checkout.mjs';

export const onPath = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

const mongoLibrary = process.env.MONGO_SERVER_LIB ?? join(root, 'test', 'support', 'mongo-server', 'lib');
/** Whether the server built by `.ci/mongo-server.sh` and its Java runtime are installed. */
export const hasMongoServer = () => onPath('java') && existsSync(mongoLibrary);

const beancount = process.env.BEANCOUNT_HOME ?? join(root, 'test', 'support', 'beancount', 'python');
/** Whether `.ci/beancount.sh` has installed the program that checks exported ledgers. */
export const hasBeancount = () => existsSync(join(beancount, 'bin', 'bean-check'));

// Composes the compiled service for a benchmark that inspects its internals. The first line of output is the service's
// URL.
import 'reflect-metadata';
import { readConfig } from '../dist/modules/config.js';
import { seed } from '../dist/modules/app/first-start.js';
import { openEngines } from '../dist/modules/app/open-engines.js';
import { createService } from '../dist/modules/app/service.js';

const quiet = () => undefined;
/** The service does not log failed requests, because the load generator counts them. */
const tell = (...what) => what.at(-1) !== 'request' && console.error(...what);

/** @param prepare receives the engines before the service uses them */
export async function host(prepare = quiet) {
  const config = readConfig();
  const engines = await openEngines(config, { logger: { info: quiet, warn: tell, error: tell } });
  prepare(engines);
  const service = await createService(config, engines);
  await seed(config, service);
  console.log(await service.listen());
  return { config, engines, service };
}

// The compiled service, composed by a bench that looks inside: its address is the first line that it prints.
import 'reflect-metadata';
import { readConfig } from '../dist/modules/config.js';
import { seed } from '../dist/modules/jobs/first-start.js';
import { openEngines } from '../dist/modules/open-engines.js';
import { createService } from '../dist/modules/service.js';

const quiet = () => undefined;
/** Requests that end badly are counted by whoever sends them. */
const tell = (...what) => what.at(-1) !== 'request' && console.error(...what);

/** @param prepare is given the engines before anything uses them */
export async function host(prepare = quiet) {
  const config = readConfig();
  const engines = await openEngines(config, { logger: { info: quiet, warn: tell, error: tell } });
  prepare(engines);
  const service = await createService(config, engines);
  await seed(config, service);
  console.log(await service.listen());
  return { config, engines, service };
}

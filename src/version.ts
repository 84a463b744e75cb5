import { existsSync, readFileSync } from 'node:fs';

/** The folder of the package, wherever in it this runs: from sources, from compiled modules or from the bundle. */
export const packageFolder = (() => {
  const above = (folder: URL): URL =>
    existsSync(new URL('package.json', folder)) ? folder : above(new URL('..', folder));
  return above(new URL('.', import.meta.url));
})();

/** Of the service, as its package says. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as {
  readonly version: string;
};

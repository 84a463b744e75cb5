import { existsSync, readFileSync } from 'node:fs';

/** The package's directory, whether the service runs from source files, compiled modules or the bundle. */
export const packageFolder = (() => {
  const above = (folder: URL): URL =>
    existsSync(new URL('package.json', folder)) ? folder : above(new URL('..', folder));
  return above(new URL('.', import.meta.url));
})();

/** Version of the service, as specified in package.json. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as {
  readonly version: string;
};

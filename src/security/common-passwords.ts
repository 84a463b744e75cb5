import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Loads the list on first use, because it occupies 2 MB and many processes never check a password. */
function loaded(): ReadonlySet<string> {
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/** Whether a password in lower case is one of the most common ones. */
export function isCommonPassword(password: string): boolean {
  common ??= loaded();
  return common.has(password);
}

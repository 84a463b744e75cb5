import type { Config } from './config.js';
import { ErrorCollector } from './platform/error-collector.js';
import { notingLogger } from './platform/noting-logger.js';
import { redactor } from './platform/redaction.js';
import type { Logger } from './ports/log.js';
import type { Clock, Ids } from './ports/time.js';

/** What notes errors of a process, from before its engines are opened. */
export type ErrorCollection = {
  readonly errors: ErrorCollector;
  /** For background work: what is logged is noted as well. */
  readonly logger: Logger;
};

type Parts = { readonly clock: Clock; readonly ids: Ids; readonly logger: Logger };

export function collectErrors(config: Config, { clock, ids, logger }: Parts): ErrorCollection {
  const errors = new ErrorCollector({ clock, ids, logger, redact: redactor(secretsOf(config)) });
  const noting = notingLogger(logger, (noted) => {
    errors.note(noted);
  });
  return { errors, logger: noting };
}

const SECRET_SETTING = /PASSWORD|SECRET|TOKEN|_KEY$/;

/** What the settings hold that nobody may read elsewhere, also within the addresses of engines. */
export function secretsOf(config: Config): string[] {
  const texts = Object.entries(config).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.flatMap(([name, value]) => (SECRET_SETTING.test(name) ? [value] : passwordsIn(value)));
}

/** As they stand in an address, and as they are meant. */
function passwordsIn(text: string): string[] {
  const passwords = [...text.matchAll(/:\/\/[^\s/?#:@]*:([^\s/?#@]+)@/g)].map(([, password = '']) => password);
  return passwords.flatMap((password) => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

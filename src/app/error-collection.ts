import type { Config } from '../config.js';
import { ErrorCollector } from '../observability/error-collector.js';
import { notingLogger } from '../observability/noting-logger.js';
import { redactor } from '../security/redaction.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';

type Parts = { readonly clock: Clock; readonly ids: Ids; readonly logger: Logger };

/**
 * Collects a process's errors, even before its engines are open. The returned logger is for background work. It also
 * passes warnings and errors to the collector.
 */
export function collectErrors(config: Config, { clock, ids, logger }: Parts) {
  const errors = new ErrorCollector({ clock, ids, logger, redact: redactor(secretsOf(config)) });
  return { errors, logger: notingLogger(logger, errors.note) };
}

const SECRET_SETTING = /PASSWORD|SECRET|_TOKEN$|_KEY$/;

/** Secrets in the settings, including passwords in engine URLs. */
export function secretsOf(config: Config): string[] {
  const texts = Object.entries(config).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.flatMap(([name, value]) => (SECRET_SETTING.test(name) ? [value] : passwordsIn(value)));
}

/** Returns the passwords in a URL, both encoded and decoded. */
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

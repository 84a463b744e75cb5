import type { Logger } from '../ports/log.js';
import type { Level, NotedError } from './counted-error.js';
import { describeError, fingerprintOf, withoutVariables, type ErrorDescription } from './error-description.js';
import { MAX_RAW_LENGTH } from './redaction.js';

/** How the adapters tell of an engine that answers again. */
const RECOVERY = /\bis back\b/;
/** Fields that name the part of the service which a line is about. */
const PARTS = ['subscriber', 'projection', 'lease', 'job', 'thread'] as const;

/** Fields of a line, as far as they matter here. */
type Fields = Readonly<
  Partial<Record<'err' | 'reason' | 'tenantId' | 'userId' | 'requestId' | (typeof PARTS)[number], unknown>>
>;

/**
 * Logs, and notes what background work complains of: errors, warnings (most of them tell of another try), and that an
 * engine is back. `note` must not throw.
 */
export const notingLogger = (logger: Logger, note: (noted: NotedError) => void): Logger => ({
  info: (fields, message) => {
    logger.info(fields, message);
    if (RECOVERY.test(message)) note(noted('INFO', fields, message));
  },
  warn: (fields, message) => {
    logger.warn(fields, message);
    note(noted('WARN', fields, message));
  },
  error: (fields, message) => {
    logger.error(fields, message);
    note(noted('ERROR', fields, message));
  },
});

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_RAW_LENGTH) : undefined;

function noted(level: Level, line: object, message: string): NotedError {
  const fields = line as Fields;
  const part = PARTS.map((name) => textOf(fields[name])).find((name) => name !== undefined);
  const error = fields.err === undefined ? undefined : describeError(fields.err);
  const reason = error?.message ?? textOf(fields.reason);
  const marks = error?.marks ?? [withoutVariables(reason ?? '')];
  return {
    fingerprint: fingerprintOf(['line', level, part ?? '', withoutVariables(message), ...marks]),
    level,
    message: [part, message, reason].filter((text) => text !== undefined).join(': '),
    code: codeOf(error),
    stack: error?.stack,
    requestId: textOf(fields.requestId),
    tenantId: textOf(fields.tenantId),
    userId: textOf(fields.userId),
  };
}

const codeOf = (error: ErrorDescription | undefined): string | undefined => error && (error.code ?? error.name);

import type { ErrorLevel } from '../aggregates/error-log.aggregate.js';
import type { Logger } from '../ports/log.js';
import { MAX_RAW_LENGTH } from '../security/redaction.js';
import type { NotedError } from './counted-error.js';
import { describeError, fingerprintOf, withoutVariables, type ErrorDescription } from './error-description.js';

/** Matches the message that adapters log when an engine responds again. */
const RECOVERY = /\bis back\b/;
/** Log fields that name the affected component. */
const PARTS = ['subscriber', 'projection', 'lease', 'job', 'thread'] as const;

/** The fields of a log line that this module uses. */
type Fields = Readonly<
  Partial<Record<'err' | 'reason' | 'path' | 'tenantId' | 'userId' | 'requestId' | (typeof PARTS)[number], unknown>>
>;

/**
 * Returns a logger that also passes errors, warnings (most of which announce a retry) and engine recoveries to `note`.
 * `note` must not throw.
 */
export function notingLogger(logger: Logger, note: (noted: NotedError) => void): Logger {
  const both =
    (kind: 'warn' | 'error', level: ErrorLevel): Logger['warn'] =>
    (fields, message) => {
      logger[kind](fields, message);
      note(noted(level, fields, message));
    };
  return {
    info: (fields, message) => {
      logger.info(fields, message);
      if (RECOVERY.test(message)) note(noted('INFO', fields, message));
    },
    warn: both('warn', 'WARN'),
    error: both('error', 'ERROR'),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_RAW_LENGTH) : undefined;

function noted(level: ErrorLevel, line: object, message: string): NotedError {
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
    path: textOf(fields.path),
    requestId: textOf(fields.requestId),
    tenantId: textOf(fields.tenantId),
    userId: textOf(fields.userId),
  };
}

const codeOf = (error: ErrorDescription | undefined): string | undefined => error && (error.code ?? error.name);

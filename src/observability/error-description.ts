import { hash } from 'node:crypto';
import { MAX_RAW_LENGTH } from '../security/redaction.js';

/** An error description. It is length-limited, but its secrets have not been redacted yet. */
export type ErrorDescription = {
  readonly name: string;
  readonly code: string | null;
  readonly message: string;
  /** Stack frames and causes, with paths relative to the service's folder. */
  readonly stack: string | null;
  /** Components of the fingerprint. They contain no line numbers, and no numbers or ids from the message. */
  readonly marks: readonly string[];
};

const MAX_FRAMES = 20;
const MAX_CAUSES = 3;
/** Number of innermost frames in the fingerprint. */
const TELLING_FRAMES = 3;
const MAX_MESSAGE_MARK = 200;

type Frame = { readonly name: string; readonly file: string; readonly line: string; readonly isOwn: boolean };

// Errors from SQLite and from workers originate in other realms, so `instanceof` is false for them.
type ErrorLike = Readonly<Record<'name' | 'message' | 'code' | 'stack' | 'cause', unknown>>;
const isErrorLike = (error: unknown): error is ErrorLike =>
  typeof error === 'object' && error !== null && 'message' in error;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Describes any thrown value. Never throws. */
export function describeError(error: unknown): ErrorDescription {
  try {
    return described(error);
  } catch {
    // The properties of the thrown value could not be read.
    return { name: 'Error', code: null, message: 'Unreadable error.', stack: null, marks: ['unreadable'] };
  }
}

function described(error: unknown): ErrorDescription {
  if (!isErrorLike(error)) {
    const message = (typeof error === 'string' ? error : typeof error).slice(0, MAX_RAW_LENGTH);
    return { name: 'Error', code: null, message, stack: null, marks: [withoutVariables(message)] };
  }
  const name = textOf(error.name) ?? 'Error';
  const code = textOf(error.code) ?? null;
  const message = (textOf(error.message) ?? name).slice(0, MAX_RAW_LENGTH);
  const frames = framesOf(error);
  const own = frames.filter(({ isOwn }) => isOwn);
  const telling = (own.length > 0 ? own : frames).slice(0, TELLING_FRAMES);
  const marks = [name, code ?? '', withoutVariables(message), ...telling.map((frame) => `${frame.name} ${frame.file}`)];
  return { name, code, message, stack: stackOf(error, frames), marks };
}

/** Returns a 128-bit fingerprint in hexadecimal. It is the same in all processes and releases. */
export const fingerprintOf = (parts: readonly (string | number | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);

/** Replaces the parts of a message that vary between occurrences: ids, numbers, quoted text and long tokens. */
export function withoutVariables(message: string): string {
  return message
    .slice(0, 2 * MAX_MESSAGE_MARK)
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '#')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '#')
    .replace(/[\w-]{24,}|\b[\da-f]{8,}\b/gi, '#')
    .replace(/\d+/g, '#')
    .slice(0, MAX_MESSAGE_MARK);
}

/** Parses the frames in a stack trace. Skips text in the message that looks like a frame. */
function framesOf({ stack, message }: ErrorLike): Frame[] {
  const text = textOf(stack)?.slice(0, 2 * MAX_RAW_LENGTH) ?? '';
  const head = textOf(message) ?? '';
  const at = text.indexOf(head);
  const trace = at < 0 ? text : text.slice(at + head.length);
  return trace
    .split('\n', 2 * MAX_FRAMES)
    .flatMap(frameOf)
    .slice(0, MAX_FRAMES);
}

const FRAME = /^ {4}at (?:async )?(?:(.{1,200}) \()?([^()]{1,500}):(\d+):\d+\)?$/;

function frameOf(line: string): Frame[] {
  const [, name = '', path = '', number = ''] = FRAME.exec(line) ?? [];
  if (path === '') return [];
  const isOwn = !path.includes('node_modules/') && !path.startsWith('node:');
  return [{ name, file: fileOf(path), line: number, isOwn }];
}

/**
 * Returns the path relative to the service or to node_modules. The result is the same for sources and compiled files.
 */
function fileOf(path: string): string {
  const packages = path.indexOf('node_modules/');
  if (packages >= 0) return path.slice(packages);
  const own = path.replace(/\.[jt]s$/, '').replace(/^.*\/(?:dist|src)\//, 'src/');
  return own.startsWith('src/') ? own : own.split('/').slice(-2).join('/');
}

function stackOf(error: ErrorLike, frames: readonly Frame[]): string | null {
  const lines = linesOf(frames);
  let { cause } = error;
  for (let depth = 0; depth < MAX_CAUSES && isErrorLike(cause); depth += 1) {
    const message = (textOf(cause.message) ?? '').slice(0, 1_000);
    lines.push(`caused by ${textOf(cause.name) ?? 'Error'}: ${message.replaceAll('\n', '\\n')}`);
    lines.push(...linesOf(framesOf(cause).slice(0, MAX_FRAMES / 2)));
    ({ cause } = cause);
  }
  return lines.length === 0 ? null : lines.join('\n').slice(0, MAX_RAW_LENGTH);
}

const linesOf = (frames: readonly Frame[]): string[] =>
  frames.map(({ name, file, line }) => (name === '' ? `at ${file}:${line}` : `at ${name} (${file}:${line})`));

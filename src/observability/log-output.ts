import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { pino, type DestinationStream } from 'pino';

const STDOUT = 1;
const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: styleText('yellow', 'WARN '),
  50: styleText('red', 'ERROR'),
  60: styleText('red', 'FATAL'),
};
const MOST_OF_A_VALUE = 120;
/** Control characters other than line feeds. They could move the cursor in the reader's terminal. */
const CONTROL = /[^\P{Cc}\n]/gu;
const PLAIN = /^[\w./:@-]+$/;

type Line = Readonly<Record<string, unknown>>;
/** Returns a logged error's stack trace, or an empty string. */
const stackOf = (err: unknown): string =>
  typeof err === 'object' && err !== null && 'stack' in err && typeof err.stack === 'string' ? `\n${err.stack}` : '';

function valueText(value: unknown): string {
  const text = typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);
  return text.length <= MOST_OF_A_VALUE ? text : `${text.slice(0, MOST_OF_A_VALUE)}…`;
}

/** Formats a JSON log line as human-readable text: time, level, message and fields. */
export function lineText(json: string): string {
  const { level, time, pid: _, hostname: __, msg = '', err, ...fields } = JSON.parse(json) as Line;
  const clock = new Date(Number(time)).toISOString().slice(11, 23);
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const text = `${String(msg)}${shown.join('')}${stackOf(err)}`.replace(CONTROL, '');
  return `${clock} ${LEVELS[Number(level)] ?? String(level)} ${text}\n`;
}

/**
 * Returns a destination that buffers lines, because writing each line separately costs every request a few
 * microseconds. The buffer holds bytes: with text, sonic-boom measures everything in the buffer for each line.
 */
export function bufferedOutput(dest: string | number = STDOUT) {
  const buffered = { dest, sync: false, minLength: 8_192, periodicFlush: 500 } as const;
  const output = pino.destination({ ...buffered, contentMode: 'buffer' });
  const write = output.write.bind(output) as unknown as (line: Buffer) => boolean;
  output.write = (line) => write(Buffer.from(line));
  return output;
}

/** Returns the destination for a thread's log: text in a terminal, otherwise JSON. */
export const logOutput = (
  output: DestinationStream = pino.destination(STDOUT),
  isTerminal = isatty(STDOUT),
): DestinationStream =>
  isTerminal
    ? {
        write: (json) => {
          output.write(lineText(json));
        },
      }
    : output;

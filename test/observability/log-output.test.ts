import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import { bufferedOutput, lineText, logOutput } from '../../src/observability/log-output.js';

/** Returns the lines that a logger writes to a terminal or to a file. */
function written(isTerminal: boolean, log: (logger: pino.Logger) => void): string[] {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(stripVTControlCharacters(line)) };
  log(pino({ timestamp: () => `,"time":${Date.UTC(2026, 2, 4, 9, 30, 5, 7)}` }, logOutput(output, isTerminal)));
  return lines;
}

describe('A log line in a terminal', () => {
  test('consists of time, level, message and fields', () => {
    const lines = written(true, (logger) => {
      logger.info({ url: 'http://127.0.0.1:3000', took: 12, lease: 'policy:late entries' }, 'Kontor is ready');
      logger.warn({ phases: { customers: 'following' } }, 'late');
    });
    expect(lines).toEqual([
      '09:30:05.007 INFO  Kontor is ready url=http://127.0.0.1:3000 took=12 lease="policy:late entries"\n',
      '09:30:05.007 WARN  late phases={"customers":"following"}\n',
    ]);
  });

  test('is followed by the stack trace of its error', () => {
    const [line] = written(true, (logger) => {
      logger.error({ err: new Error('disk full') }, 'a job failed');
    });
    expect(line).toMatch(/ERROR a job failed\nError: disk full\n {4}at /);
  });

  test('contains no control characters of its values, and only the beginning of long values', () => {
    const line = lineText('{"level":30,"time":0,"msg":"a\\u001b[2Jb","err":{"stack":"x\\u0007y"}}');
    expect(line).toBe('00:00:00.000 INFO  a[2Jb\nxy\n');
    expect(lineText(`{"level":30,"time":0,"msg":"m","v":"${'x'.repeat(500)}"}`).length).toBeLessThan(160);
  });
});

test('Outside a terminal the log is JSON', () => {
  const [line = ''] = written(false, (logger) => {
    logger.info({ took: 12 }, 'done');
  });
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'done', took: 12 });
});

describe('The buffered log', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'log-'))));
  afterEach(() => rm(folder, { recursive: true }));

  test('contains every line in order, including those beyond the size of the buffer', async () => {
    const file = join(folder, 'log');
    const output = bufferedOutput(file);
    const logger = pino(logOutput(output, false));
    for (let n = 0; n < 2_000; n += 1) logger.info({ n, path: '/müşteri/€/😀' }, 'request');
    await new Promise<unknown>((flushed) => {
      output.flush(flushed);
    });
    logger.info({ n: 2_000 }, 'stopped');
    output.flushSync();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { n: number; path?: string });
    expect(logged.map(({ n }) => n)).toEqual([...Array(2_001).keys()]);
    expect(new Set(logged.map(({ path }) => path))).toEqual(new Set(['/müşteri/€/😀', undefined]));
    output.end();
  });

  test('contains a fatal error at once', async () => {
    const file = join(folder, 'log');
    const output = bufferedOutput(file);
    await new Promise((ready) => output.once('ready', ready));
    pino(logOutput(output, false)).fatal('uncaught exception');
    expect(await readFile(file, 'utf8')).toContain('uncaught exception');
    output.end();
  });
});

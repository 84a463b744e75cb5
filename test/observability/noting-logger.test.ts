import type { NotedError } from '../../src/observability/counted-error.js';
import { describeError, withoutVariables } from '../../src/observability/error-description.js';
import { notingLogger } from '../../src/observability/noting-logger.js';
import type { Logger } from '../../src/ports/log.js';

function logging() {
  const noted: NotedError[] = [];
  const lines: string[] = [];
  const line = (_: object, message: string): void => void lines.push(message);
  const logger: Logger = notingLogger({ info: line, warn: line, error: line }, (one) => noted.push(one));
  const fingerprints = (): number => new Set(noted.map(({ fingerprint }) => fingerprint)).size;
  return { logger, noted, lines, fingerprints };
}

class DriverError extends Error {
  readonly code = 'E_GONE';
}
const fail = (message: string): Error => new DriverError(message);
const failElsewhere = (message: string): Error => new DriverError(message);

describe('Log output of background work', () => {
  test('is noted if it is a warning, an error or a recovery, and always logged', () => {
    const { logger, noted, lines } = logging();
    logger.info({ url: 'x' }, 'Kontor is ready');
    logger.warn({ reason: 'no route to host' }, 'The event store is unavailable');
    logger.info({ failures: 3 }, 'The event store is back');
    logger.info({ broker: 'nats' }, 'NATS: db:4222 is back, stream kontor');
    logger.error({ err: fail('gone'), projection: 'customers' }, 'projection stands still');
    expect(lines).toEqual([
      'Kontor is ready',
      'The event store is unavailable',
      'The event store is back',
      'NATS: db:4222 is back, stream kontor',
      'projection stands still',
    ]);
    expect(noted.map(({ level, message, code }) => [level, message, code ?? null])).toEqual([
      ['WARN', 'The event store is unavailable: no route to host', null],
      ['INFO', 'The event store is back', null],
      ['INFO', 'NATS: db:4222 is back, stream kontor', null],
      ['ERROR', 'customers: projection stands still: gone', 'E_GONE'],
    ]);
  });

  test('contains its tenant, user and request if known', () => {
    const { logger, noted } = logging();
    logger.warn({ tenantId: 't', userId: 'u', requestId: 'r' }, 'too many');
    expect(noted[0]).toMatchObject({ tenantId: 't', userId: 'u', requestId: 'r' });
  });

  test('is the same error for other ids and numbers, and another error for another part of the service', () => {
    const { logger, fingerprints } = logging();
    const again = (subscriber: string, message: string): void => {
      logger.warn({ err: fail(message), subscriber, position: 7 }, 'retrying an event');
    };
    again('booking', 'No 1 of 0199d3a0-0000-7000-8000-000000000001 in "a"');
    again('booking', 'No 27 of 0199d3a0-0000-7000-8000-00000000000f in "b"');
    expect(fingerprints()).toBe(1);
    again('forwarder', 'No 1 of 0199d3a0-0000-7000-8000-000000000001 in "a"');
    expect(fingerprints()).toBe(2);
    logger.warn({ err: failElsewhere('No 1 of x in "a"'), subscriber: 'booking' }, 'retrying an event');
    expect(fingerprints()).toBe(3);
    logger.error({ err: fail('No 1 of x in "a"'), subscriber: 'booking' }, 'retrying an event');
    expect(fingerprints()).toBe(4);
  });
});

describe('An error', () => {
  test('is described by its frames, with paths relative to the service, and by its causes', () => {
    const cause = new TypeError('socket hung up');
    cause.stack = `TypeError: socket hung up\n    at onEnd (node:net:12:3)\n    at Pool.next (/srv/kontor/node_modules/mongodb/lib/pool.js:9:8)`;
    const error = new Error('cannot read', { cause });
    error.stack = [
      'Error: cannot read',
      '    at async Store.list (file:///srv/kontor/dist/adapters/read-store.js:12:34)',
      '    at /srv/kontor/src/queries/x.ts:1:2',
      '    at new Promise (<anonymous>)',
    ].join('\n');
    expect(describeError(error)).toEqual({
      name: 'Error',
      code: null,
      message: 'cannot read',
      stack: [
        'at Store.list (src/adapters/read-store:12)',
        'at src/queries/x:1',
        'caused by TypeError: socket hung up',
        'at onEnd (node:net:12)',
        'at Pool.next (node_modules/mongodb/lib/pool.js:9)',
      ].join('\n'),
      marks: ['Error', '', 'cannot read', 'Store.list src/adapters/read-store', ' src/queries/x'],
    });
  });
  test('cannot add frames through its message', () => {
    const error = new Error('x\n    at forged (/srv/kontor/src/payroll.ts:1:1)');
    expect(describeError(error).stack).not.toContain('forged');
  });
  test('can be any thrown value', () => {
    for (const thrown of ['text', 7, null, undefined, {}, { message: 5 }, Symbol('x'), new Error('')])
      expect(describeError(thrown).marks.length).toBeGreaterThan(0);
    const unreadable = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('never');
      },
    });
    expect(describeError(unreadable).message).toBe('Unreadable error.');
    expect(describeError('text')).toMatchObject({ message: 'text', stack: null });
  });
  test('keeps the constant words of its message', () => {
    expect(withoutVariables("user 17 of '7f' lacks deadbeef99 and 0123456789abcdef0123456789")).toBe(
      'user # of # lacks # and #',
    );
  });
});

import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { ConfigError, readConfig, type Config } from './config.js';
import { openEngines } from './open-engines.js';
import { seed } from './jobs/first-start.js';
import { UnusableKey } from './platform/key-file.js';
import { EventStoreInUse } from './ports/event-store.js';
import { createService } from './service.js';
import { boundHeapGrowth } from './thread-memory.js';

/** A supervisor kills what has not ended ten seconds after SIGTERM. */
const DRAIN_MS = 9_500;

/** From the first signal or fault on: whoever sets it ends the process, too. */
const ending = { hasBegun: false };

async function main(config: Config): Promise<void> {
  // Lines are written in blocks: a write for each would cost every request some microseconds.
  const output = pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 500 });
  const logger = pino({ level: config.LOG_LEVEL }, output);
  // Node ends the process then, and tells standard error only: the log shall not just break off.
  process.on('uncaughtExceptionMonitor', (error, origin) => {
    logger.fatal({ err: error, origin }, 'ended by a fault that nothing handles');
  });
  const opening = openEngines(config, { logger });
  let close = async () => (await opening).close();
  const stop = (signal: string) => {
    // Ctrl-C under npm comes twice: the second must not cut the draining short.
    if (ending.hasBegun) return;
    ending.hasBegun = true;
    logger.info({ signal }, 'draining');
    setTimeout(() => {
      logger.error({ waitsFor: process.getActiveResourcesInfo() }, 'draining took too long');
      output.flushSync();
      process.exit(1);
    }, DRAIN_MS).unref();
    close().then(
      () => {
        logger.info({}, 'stopped');
        output.flushSync();
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        output.flushSync();
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const engines = await opening;
  try {
    const service = await createService(config, engines);
    close = () => service.close();
    const welcome = await seed(config, service);
    if (ending.hasBegun) return;
    const url = await service.listen();
    logger.info({ url }, 'Kontor is ready');
    output.flush();
    if (welcome) process.stdout.write(welcome(url));
  } catch (error) {
    if (ending.hasBegun) throw error;
    ending.hasBegun = true;
    tell(error);
    // A thread that is cut off in the midst of SQLite ends the process by SIGABRT: it is ended first.
    await Promise.race([Promise.allSettled([close()]), sleep(DRAIN_MS)]);
    process.exit(1);
  }
}

function tell(error: unknown): void {
  // What a user can mend is told without a stack.
  const isPlain = error instanceof ConfigError || error instanceof EventStoreInUse || error instanceof UnusableKey;
  process.stderr.write(`${isPlain ? error.message : String((error as Error).stack ?? error)}\n`);
}

// The history, the read models and the keys are nobody else's to read.
process.umask(0o077);
boundHeapGrowth();
try {
  await main(readConfig());
} catch (error) {
  // What was still being started meets engines that are closed by then.
  if (!ending.hasBegun) {
    tell(error);
    process.exit(1);
  }
}

import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { ConfigError, takeConfig, type Config } from './config.js';
import { ensurePossible, whyUnwritable } from './app/data-directory.js';
import { openEngines } from './app/open-engines.js';
import { seed } from './app/first-start.js';
import { UnusableKey } from './security/key-file.js';
import { closeToOthers } from './security/private-folder.js';
import { EventStoreInUse } from './ports/event-store.js';
import { RestoreIncomplete } from './ports/history.js';
import type { HistoryState } from './eventsourcing/history-state.js';
import type { Logger } from './ports/log.js';
import { bufferedOutput, logOutput } from './observability/log-output.js';
import { createService, type Service } from './app/service.js';
import { boundHeapGrowth, releaseMemoryWhenIdle } from './app/thread-memory.js';

/** Supervisors kill a process that is still running ten seconds after SIGTERM. */
const DRAIN_MS = 9_500;
/** Time during which responses announce to keep-alive clients that their connection will be closed. */
const GRACE_MS = 1_000;
/** Maximum time for writing the last log lines. LATE_FLUSH_MS applies if draining took too long. */
const FLUSH_MS = 2_000;
const LATE_FLUSH_MS = 500;

/** Set by the first signal or error, which ends the process. Later signals and errors are ignored. */
const ending = { hasBegun: false };

async function main(config: Config): Promise<void> {
  const output = bufferedOutput();
  const logger = pino({ level: config.LOG_LEVEL }, logOutput(output));
  ensurePossible(config.DATA_DIR);
  await closeToOthers(config.DATA_DIR, logger);
  const opening = openEngines(config, { logger });
  let service: Service | undefined;
  const close = async () => (service ? service.close(GRACE_MS) : (await opening).close());
  const end = (exitCode: number) => {
    // Under npm, Ctrl-C sends the signal twice. The second one must not interrupt the drain.
    if (ending.hasBegun) return;
    ending.hasBegun = true;
    logger.info({}, 'draining');
    setTimeout(() => {
      logger.error({ waitsFor: process.getActiveResourcesInfo() }, 'draining took too long');
      leave(output, 1, LATE_FLUSH_MS);
    }, DRAIN_MS - LATE_FLUSH_MS).unref();
    close().then(
      () => {
        logger.info({}, 'stopped');
        leave(output, exitCode);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the service could not be stopped cleanly');
        leave(output, 1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      end(0);
    });
  // Terminating a thread during a SQLite call would abort the process, so close the threads first.
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'uncaught exception');
    printError(error);
    end(1);
  });
  const backups = config.ROLES.includes('jobs') && config.BACKUP_DIR && whyUnwritable(config.BACKUP_DIR, 'BACKUP_DIR');
  if (backups) logger.warn({ reason: backups }, 'backups cannot be written');
  const engines = await opening;
  endWhenReplaced(engines.history, logger, () => {
    end(1);
  });
  try {
    service = await createService(config, engines, { early: true });
    const welcome = await seed(config, service);
    if (ending.hasBegun) return;
    const url = await service.listen();
    logger.info({ url }, 'Kontor is ready');
    printLast(output, welcome?.(url) ?? '');
  } catch (error) {
    if (ending.hasBegun) throw error;
    ending.hasBegun = true;
    printError(error, config);
    // Close the threads first, because terminating one during a SQLite call would abort the process.
    await Promise.race([Promise.allSettled([close()]), sleep(DRAIN_MS)]);
    process.exit(1);
  }
}

type Output = Pick<ReturnType<typeof bufferedOutput>, 'flush' | 'flushSync'>;

/** Prints text after the start-up log lines. */
function printLast(output: Output, text: string): void {
  output.flush(() => {
    // If a write was in progress, the output still contains the lines after it.
    output.flushSync();
    process.stdout.write(text);
  });
}

/** Ends the process, because its state in memory comes from data that no longer exists. The next start rebuilds it. */
function endWhenReplaced(history: HistoryState, logger: Logger, end: () => void): void {
  history.onReplaced((reason) => {
    logger.error(
      { reason },
      'exiting because stored data was replaced or removed; the next start rebuilds the read models',
    );
    process.stderr.write(`${reason}. Kontor is exiting. The next start rebuilds the read models.\n`);
    end();
  });
}

/**
 * Exits after the log is written. If the log reader is stuck, kills the process without writing the rest. A write to a
 * full pipe, or an exit that waits for the writing thread, would block forever.
 */
function leave(output: Output, exitCode: number, flushMs = FLUSH_MS): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), flushMs);
  output.flush(() => process.exit(exitCode));
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses the port',
  EACCES: 'this account may not use the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host name is unknown',
};

/** Returns the reason why the service cannot listen; undefined for other errors. */
function whyDeaf(error: unknown, { HOST, PORT }: Config): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isListening = syscall === 'listen' || syscall === 'getaddrinfo';
  return isListening ? `HOST ${HOST}, PORT ${PORT}: ${LISTEN_FAULTS[code] ?? code}.` : undefined;
}

/**
 * For an error that users can fix, prints only the message. For any other error, prints the stack trace or, if the
 * service cannot listen or DATA_DIR is not writable, the reason.
 */
function printError(error: unknown, config?: Config): void {
  const isPlain = [ConfigError, EventStoreInUse, RestoreIncomplete, UnusableKey].some((kind) => error instanceof kind);
  const why = () => config && (whyDeaf(error, config) ?? whyUnwritable(config.DATA_DIR));
  const stack = () => why() ?? String((error as Error).stack ?? error);
  process.stderr.write(`${isPlain ? (error as Error).message : stack()}\n`);
}

// Only the owner may read the history, the read models and the keys.
process.umask(0o077);
boundHeapGrowth();
releaseMemoryWhenIdle();
let config: Config | undefined;
try {
  config = takeConfig();
  await main(config);
} catch (error) {
  // Once shutdown has begun, start-up steps fail because the engines are closed. Ignore these errors.
  if (!ending.hasBegun) {
    printError(error, config);
    process.exit(1);
  }
}

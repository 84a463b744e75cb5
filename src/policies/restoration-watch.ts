import { Inject, Injectable } from '@nestjs/common';
import type { Led } from '../projecting/leadership.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { DeletedRecords } from '../queries/deleted-records.js';
import { Restoring } from './restoring.js';

const LOOK_EVERY_MS = 100;
const MAX_PAUSE_MS = 5_000;

/**
 * Restores deleted records that a transaction reaches, however late. Does not follow the transactions, which may arrive
 * by the thousand per second: a read model lists the few affected records until they are restored. So it needs no
 * checkpoint, and retries failures until they succeed.
 */
@Injectable()
export class RestorationWatch {
  readonly name = 'restoration-watch';

  constructor(
    @Inject(DeletedRecords) private readonly records: DeletedRecords,
    @Inject(Restoring) private readonly restoring: Restoring,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): Led {
    const stopping = new AbortController();
    const running = this.run(stopping.signal);
    return {
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
  }

  /** Restores all records that are due. Returns false if any of them failed. */
  async look(): Promise<boolean> {
    let isDone = true;
    for (const { kind, id, cause } of await this.records.reached()) {
      try {
        await this.restoring.restore(kind, id, cause);
      } catch (error) {
        isDone = false;
        this.logger.warn({ err: error, kind, id }, 'a deleted record that has transactions could not be restored yet');
      }
    }
    return isDone;
  }

  private async run(signal: AbortSignal): Promise<void> {
    let seen = -1;
    let pauseMs = LOOK_EVERY_MS;
    while (!signal.aborted) {
      const { position } = this.records;
      if (position > seen) {
        const isDone = await this.safely();
        if (isDone) seen = position;
        pauseMs = isDone ? LOOK_EVERY_MS : Math.min(MAX_PAUSE_MS, pauseMs * 2);
      }
      await this.clock.sleep(pauseMs, signal);
    }
  }

  private async safely(): Promise<boolean> {
    try {
      return await this.look();
    } catch (error) {
      this.logger.warn({ err: error }, 'deleted records cannot be looked for; it is tried again');
      return false;
    }
  }
}

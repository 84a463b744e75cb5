import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  countErrors,
  errorLog,
  errorLogId,
  isClosed,
  isReported,
  type ErrorLog,
} from '../aggregates/error-log.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { asService } from '../platform/context.js';
import type { ErrorReport } from '../platform/counted-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';

/** Records of errors whose open record is remembered. */
const MAX_REMEMBERED = 2_000;

/** Counts errors on their records: on the open one of their kind, or on a new one where all are closed. */
@Injectable()
export class ErrorRecorder {
  /** Which life of an error is open, as far as was seen. */
  private readonly incarnations = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  /**
   * Resolves when it is durable. The same report again counts once.
   * @throws what CommandRunner.execute throws
   */
  async record(report: ErrorReport): Promise<void> {
    const { fingerprint } = report.details;
    let incarnation = this.incarnations.get(fingerprint) ?? (await this.openIncarnation(fingerprint));
    for (;;) {
      // Before it is counted: where the outcome stays unknown, the next try must look at the same record first.
      this.incarnations.set(fingerprint, incarnation);
      if (await this.countOn(errorLogId(fingerprint, incarnation), report)) return;
      incarnation += 1;
    }
  }

  /** False where that record is closed. */
  private async countOn(id: string, report: ErrorReport): Promise<boolean> {
    const { reportId } = report;
    const own = { tenantId: PLATFORM_TENANT, name: 'error-log', commandId: reportId };
    const { events, state } = await asService(own, () =>
      this.runner.execute(errorLog, { tenantId: PLATFORM_TENANT, id }, report, countErrors),
    );
    return events.length > 0 || isReported(state, reportId);
  }

  /**
   * The first life that is not closed. One begins only after the one before is closed, so it is found like a word in a
   * dictionary: an error that was resolved a thousand times takes twenty looks, and only in a new process.
   */
  private async openIncarnation(fingerprint: string): Promise<number> {
    let closed = -1;
    let open = 0;
    while (isClosed(await this.look(fingerprint, open))) {
      closed = open;
      open = 2 * open + 1;
    }
    while (open - closed > 1) {
      const middle = (closed + open) >> 1;
      if (isClosed(await this.look(fingerprint, middle))) closed = middle;
      else open = middle;
    }
    return open;
  }

  private async look(fingerprint: string, incarnation: number): Promise<ErrorLog> {
    const id = errorLogId(fingerprint, incarnation);
    return (await this.reader.read(errorLog, PLATFORM_TENANT, id)).state;
  }
}

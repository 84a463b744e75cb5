import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  countErrors,
  errorLog,
  errorLogId,
  isClosed,
  isReported,
  type ErrorReport,
} from '../aggregates/error-log.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

const MAX_REMEMBERED = 2_000;

/** Adds a report to the error's open record, or to a new record if all of its records are closed. */
@Injectable()
export class ErrorRecorder {
  /** The number of the first record not known to be closed, for each fingerprint. */
  private readonly incarnations = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  /**
   * Resolves when the report is durable. A redelivered report is not counted again.
   * @throws errors from CommandRunner.execute
   */
  async record(report: ErrorReport): Promise<void> {
    const { reportId, details } = report;
    const own = { tenantId: PLATFORM_TENANT, name: 'error-log', commandId: reportId };
    const known = this.incarnations.get(details.fingerprint) ?? (await this.openIncarnation(details.fingerprint));
    for (let incarnation = known; ; incarnation += 1) {
      // Set before the append, because the retry after an unknown outcome must start with the same record.
      this.incarnations.set(details.fingerprint, incarnation);
      const stream = { tenantId: PLATFORM_TENANT, id: errorLogId(details.fingerprint, incarnation) };
      const { events, state } = await asService(own, () => this.runner.execute(errorLog, stream, report, countErrors));
      if (events.length > 0 || isReported(state, reportId)) return;
    }
  }

  /** Finds the first record that is not closed. A binary search is possible, because all earlier records are closed. */
  private async openIncarnation(fingerprint: string): Promise<number> {
    let closed = -1;
    let open = 0;
    while (await this.isClosed(fingerprint, open)) {
      closed = open;
      open = 2 * open + 1;
    }
    while (open - closed > 1) {
      const middle = (closed + open) >> 1;
      if (await this.isClosed(fingerprint, middle)) closed = middle;
      else open = middle;
    }
    return open;
  }

  private async isClosed(fingerprint: string, incarnation: number): Promise<boolean> {
    const id = errorLogId(fingerprint, incarnation);
    return isClosed((await this.reader.read(errorLog, PLATFORM_TENANT, id)).state);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { errorLog, expireErrors, type Retention } from '../aggregates/error-log.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { asService } from '../platform/context.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { errorLogs } from '../projections/error-log.projection.js';
import type { Job, JobOutcome, JobRun } from './job.js';

const DAY_MS = 24 * 60 * 60_000;
const days = (byDefault: number) => z.int().min(1).max(3_650).default(byDefault);

/** Days since an error was last seen, after which its record is hidden. */
const Parameters = z.strictObject({ resolvedDays: days(30), unresolvedDays: days(90) });

/**
 * Hides records of errors that nobody needs any more. The events stay, as do their numbers: the history is never cut.
 * What occurs meanwhile is decided at its record's exact revision, and keeps it.
 */
@Injectable()
export class ErrorLogRetentionJob implements Job {
  readonly name = 'error-log-retention';
  readonly description = 'Hides resolved errors that were not seen for 30 days, and unresolved ones after 90.';
  readonly schedule = '30 2 * * *';
  readonly parameters = Parameters;

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async run({ executionId, parameters, signal, report }: JobRun): Promise<JobOutcome> {
    const { resolvedDays, unresolvedDays } = Parameters.parse(parameters);
    const before = (count: number): string => new Date(this.clock.nowMs() - count * DAY_MS).toISOString();
    const retention = { resolvedBefore: before(resolvedDays), unresolvedBefore: before(unresolvedDays) };
    const candidates = [
      ...(await this.seenBefore(retention.resolvedBefore, true)),
      ...(await this.seenBefore(retention.unresolvedBefore, false)),
    ];
    let hidden = 0;
    for (const [index, id] of candidates.entries()) {
      signal.throwIfAborted();
      if (await this.expire(id, retention, executionId)) hidden += 1;
      report(Math.floor((100 * (index + 1)) / candidates.length), `${hidden} of ${candidates.length} records hidden`);
    }
    return { message: hidden === 1 ? '1 error record was hidden.' : `${hidden} error records were hidden.` };
  }

  /** Read before any is hidden, which takes it out of the list. */
  private async seenBefore(instant: string, resolved: boolean): Promise<string[]> {
    const ids: string[] = [];
    const query = { where: { resolved }, between: { lastSeenAt: { to: instant } } };
    for await (const { id } of this.models.each(errorLogs, PLATFORM, query)) ids.push(id);
    return ids;
  }

  /** False where the record has changed since it was listed, so that it is kept. */
  private async expire(id: string, retention: Retention, executionId: string): Promise<boolean> {
    const commandId = this.ids.next();
    const own = { tenantId: PLATFORM_TENANT, name: this.name, requestId: executionId, commandId };
    const { events } = await asService(own, () =>
      this.runner.execute(errorLog, { tenantId: PLATFORM_TENANT, id }, retention, expireErrors),
    );
    return events.length > 0;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { expireSession, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { asService } from '../platform/context.js';
import { ReadModels } from '../platform/query.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { PLATFORM } from '../ports/read-store.js';
import { openSessions, type SessionView } from '../projections/session.projection.js';
import type { Job, JobOutcome, JobRun } from './job.js';

const NAME = 'session-cleanup';
/** A clock that is wrong by less ends no session that somebody could still refresh. */
const LAPSED_FOR_MS = 24 * 3_600_000;

/** Ends the sessions whose last refresh token lapsed: nobody can act in them any more, and nobody signed out. */
@Injectable()
export class SessionCleanup implements Job {
  readonly name = NAME;
  readonly description = 'Ends sessions whose refresh token lapsed a day ago or earlier.';
  readonly schedule = '20 4 * * *';
  readonly parameters = z.strictObject({});

  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async run({ executionId, signal, report }: JobRun): Promise<JobOutcome> {
    const to = new Date(this.clock.nowMs() - LAPSED_FOR_MS).toISOString();
    const lapsed = { between: { expiresAt: { to } } };
    const totalCount = await this.models.count(openSessions, PLATFORM, lapsed);
    let [seen, ended] = [0, 0];
    for await (const found of this.models.each(openSessions, PLATFORM, lapsed)) {
      signal.throwIfAborted();
      if (await this.end(found, to, executionId)) ended += 1;
      seen += 1;
      report(Math.min(99, (100 * seen) / Math.max(1, totalCount)), `${ended} sessions ended`);
    }
    return { message: ended === 1 ? '1 session ended.' : `${ended} sessions ended.` };
  }

  /** False where the session was refreshed or ended meanwhile: the read model may lag. */
  private async end({ id, tenantId }: SessionView, lapsedBy: string, executionId: string): Promise<boolean> {
    const own = { tenantId, name: NAME, requestId: executionId, commandId: this.ids.next() };
    const { events } = await asService(own, () =>
      this.runner.execute(session, { tenantId, id }, { lapsedBy }, expireSession),
    );
    return events.length > 0;
  }
}

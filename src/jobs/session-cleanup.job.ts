import { z } from 'zod';
import { expireSession, session } from '../aggregates/session.aggregate.js';
import { PLATFORM } from '../ports/read-store.js';
import { openSessions } from '../projections/user.projection.js';
import { changeAs, type Job, type JobParts } from './job.js';

const NAME = 'session-cleanup';
/**
 * Margin for clock errors. If the clock is off by less than this margin, the job ends no session that could still be
 * refreshed.
 */
const LAPSED_FOR_MS = 24 * 3_600_000;

/** Ends sessions whose last refresh token has expired, because they can no longer be used. */
export const sessionCleanup = (parts: JobParts): Job => ({
  name: NAME,
  description: 'Ends sessions whose refresh token expired at least a day ago.',
  schedule: '20 4 * * *',
  parameters: z.strictObject({}),
  run: async ({ executionId, signal, report }) => {
    const { models, clock } = parts;
    const lapsedBy = new Date(clock.nowMs() - LAPSED_FOR_MS).toISOString();
    const lapsed = { between: { expiresAt: { to: lapsedBy } } };
    const totalCount = await models.count(openSessions, PLATFORM, lapsed);
    let [seen, ended] = [0, 0];
    for await (const { id, tenantId } of models.each(openSessions, PLATFORM, lapsed)) {
      signal.throwIfAborted();
      // The read model may lag. The decision changes nothing if the session has since been refreshed or has ended.
      const own = { name: NAME, executionId };
      if (await changeAs(parts, own, session, { tenantId, id }, { lapsedBy }, expireSession)) ended += 1;
      seen += 1;
      report(Math.min(99, (100 * seen) / Math.max(1, totalCount)), `${ended} sessions ended`);
    }
    return { message: ended === 1 ? '1 session ended.' : `${ended} sessions ended.` };
  },
});

import { z } from 'zod';
import { errorLog, expireErrors } from '../aggregates/error-log.aggregate.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { errorLogs } from '../projections/error-log.projection.js';
import { changeAs, type Job, type JobParts } from './job.js';

const NAME = 'error-log-retention';
const DAY_MS = 24 * 60 * 60_000;
const days = (byDefault: number) => z.int().min(1).max(3_650).default(byDefault);

/** Days from an error's last occurrence until its record is hidden. */
const Parameters = z.strictObject({ resolvedDays: days(30), unresolvedDays: days(90) });

/**
 * Hides the records of errors that have not occurred recently. Their events remain, because the history is never
 * truncated. The decision applies to an exact revision of the record, so a record remains visible if its error recurs
 * concurrently.
 */
export const errorLogRetention = (parts: JobParts): Job => ({
  name: NAME,
  description: 'Hides resolved errors not seen for 30 days, and unresolved ones not seen for 90 days.',
  schedule: '30 2 * * *',
  parameters: Parameters,
  run: async ({ executionId, parameters, signal, report }) => {
    const { resolvedDays, unresolvedDays } = Parameters.parse(parameters);
    const before = (count: number): string => new Date(parts.clock.nowMs() - count * DAY_MS).toISOString();
    const retention = { resolvedBefore: before(resolvedDays), unresolvedBefore: before(unresolvedDays) };
    // Read all ids first, because hiding a record removes it from the list.
    const candidates = [
      ...(await seenBefore(parts, retention.resolvedBefore, true)),
      ...(await seenBefore(parts, retention.unresolvedBefore, false)),
    ];
    let hidden = 0;
    for (const [index, id] of candidates.entries()) {
      signal.throwIfAborted();
      const target = { tenantId: PLATFORM_TENANT, id };
      if (await changeAs(parts, { name: NAME, executionId }, errorLog, target, retention, expireErrors)) hidden += 1;
      report(Math.floor((100 * (index + 1)) / candidates.length), `${hidden} of ${candidates.length} records hidden`);
    }
    return { message: hidden === 1 ? '1 error record was hidden.' : `${hidden} error records were hidden.` };
  },
});

async function seenBefore({ models }: JobParts, instant: string, resolved: boolean): Promise<string[]> {
  const ids: string[] = [];
  const query = { where: { resolved }, between: { lastSeenAt: { to: instant } } };
  for await (const { id } of models.each(errorLogs, PLATFORM, query)) ids.push(id);
  return ids;
}

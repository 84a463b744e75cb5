import { z } from 'zod';
import { hasExpired } from '../aggregates/integration-key.aggregate.js';
import { type NewNotification, notification, sendNotification } from '../aggregates/notification.aggregate.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import {
  integrationKeyDirectory,
  integrationKeys,
  type IntegrationKeyEntry,
  type IntegrationKeyView,
} from '../projections/integration-key.projection.js';
import { changeAs, type Job, type JobParts } from './job.js';

const NAME = 'key-expiry';
const DAY_MS = 24 * 3_600_000;
/** Numbers of days before the expiry at which warnings are due, the latest warning first. Each warning is sent once. */
const WARNED_DAYS_BEFORE = [2, 14] as const;
// The namespace must never change, because a warning that is sent again must keep its id.
const NAMESPACE = 'a0a9c1f4-52d1-5f0e-9b7e-3d6f2c8e41b7';

/** Warns a tenant's administrators before a partner key expires: two weeks ahead, and again two days ahead. */
export const keyExpiry = (parts: JobParts): Job => ({
  name: NAME,
  description: 'Notifies administrators 14 days and 2 days before a partner key expires.',
  schedule: '20 5 * * *',
  parameters: z.strictObject({}),
  run: async ({ executionId, signal }) => {
    const { models, clock } = parts;
    let sent = 0;
    for await (const entries of models.parts(integrationKeyDirectory, PLATFORM)) {
      for (const [tenantId, ids] of byTenant(entries)) {
        const keys = await models.getMany(integrationKeys, tenantScope(tenantId), ids);
        for (const [id, key] of keys) {
          signal.throwIfAborted();
          const warning = warningOf(key, clock.nowMs());
          if (!warning) continue;
          const { daysBefore, content } = warning;
          const about = JSON.stringify([id, key.expiresAt, daysBefore]);
          const target = { tenantId, id: nameUuid(about, NAMESPACE) };
          const own = { name: NAME, executionId };
          if (await changeAs(parts, own, notification, target, content, sendNotification)) sent += 1;
        }
      }
    }
    return { message: sent === 1 ? '1 warning sent.' : `${sent} warnings sent.` };
  },
});

function byTenant(entries: readonly IntegrationKeyEntry[]): ReadonlyMap<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, tenantId } of entries) ids.set(tenantId, [...(ids.get(tenantId) ?? []), id]);
  return ids;
}

type Warning = { readonly daysBefore: number; readonly content: NewNotification };

/** Returns the warning that is due for a key; undefined if none is. */
function warningOf({ name, sourceId, expiresAt, revokedAt }: IntegrationKeyView, nowMs: number): Warning | undefined {
  if (expiresAt === null || revokedAt !== null || hasExpired({ expiresAt }, nowMs)) return undefined;
  const daysBefore = WARNED_DAYS_BEFORE.find((days) => Date.parse(expiresAt) - nowMs <= days * DAY_MS);
  if (daysBefore === undefined) return undefined;
  return {
    daysBefore,
    content: {
      type: 'WARNING',
      title: `The partner key "${name}" expires soon`,
      body:
        `From ${expiresAt} on, requests from ${sourceId} with this key are rejected. ` +
        'Create a new key and give it to the partner before that time.',
      link: '/console/partner-keys',
      audience: { kind: 'roles', roles: ['OWNER', 'ADMIN'] },
    },
  };
}

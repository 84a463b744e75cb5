import type { EventStore } from '../../src/ports/event-store.js';
import { call } from '../e2e/kontor-process.js';
import { parkedLetter } from './parked-letter.js';

/** A subscriber that no longer exists. Replays of its letters fail again. */
const GONE = { origin: 'POLICY', subscriber: 'policy-of-an-earlier-release' } as const;
const AT_ONCE = 20;

/**
 * Creates customers and parks a letter about each of them. Every fifth letter fails again on replay. Returns the tenant
 * and the ids of the letters.
 */
export async function parkLetters(
  store: EventStore,
  url: string,
  token: string,
  count: number,
): Promise<[tenantId: string, ids: string[]]> {
  const from = await store.head();
  const create = (name: string) => call(`${url}/api/customers`, { token, body: { name } });
  for (let made = 0; made < count; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(`C ${made + n}`)));
  const filter = { on: 'type', prefixes: ['CustomerCreated'] } as const;
  const created = await store.readAll({ from, filter, maxCount: count });
  const { tenantId } = created[0]?.metadata as { readonly tenantId: string };
  const ids: string[] = [];
  for (const [n, event] of created.entries()) {
    const letter = parkedLetter(event, tenantId, n % 5 === 0 ? GONE : undefined);
    await store.append(letter);
    ids.push(letter.stream.split('_')[1] ?? '');
  }
  return [tenantId, ids];
}

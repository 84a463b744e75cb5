import {
  type WebhookEvent,
  webhookEvents,
  type WebhookProgressEvent,
  webhookProgressEvents,
} from '../aggregates/webhook.aggregate.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { eventsAfter } from '../eventsourcing/stream-events.js';
import { BEFORE_ALL, type EventReader, type Position } from '../ports/event-store.js';
import { resentOf, type SavedEntry } from './webhook-entries.js';
import { combined, newLane, type SavedLane } from './webhook-lane.js';

export const configTypes = [...Object.keys(webhookEvents), ...Object.keys(webhookProgressEvents)];

export type ConfigEvent = Recorded<WebhookEvent | WebhookProgressEvent>;
type UserRequest = Extract<ConfigEvent, { type: 'WebhookRecoveryRequested' | 'WebhookResendRequested' }>;
/** `requests`: users' requests that, according to the reported progress, may be incomplete. */
type Recalled = { lane: SavedLane; requests: UserRequest[] };

/**
 * Finds the webhooks and their reported progress in the history, and adds them to `lanes`. Used if the stored progress
 * is lost. Returns the last position read.
 */
export async function recall(
  { events, catalogue }: { readonly events: EventReader; readonly catalogue: EventCatalogue },
  lanes: Map<string, SavedLane>,
): Promise<Position> {
  const head = await events.head();
  let after = BEFORE_ALL;
  const found = new Map<string, Recalled>();
  for await (const event of eventsAfter(events, after, { on: 'type', prefixes: configTypes })) {
    note(found, catalogue.decode(event) as ConfigEvent);
    after = event.position;
  }
  for (const [id, { lane, requests }] of found) lanes.set(id, withRequests(lane, requests));
  return Math.max(after, head);
}

function note(found: Map<string, Recalled>, event: ConfigEvent): void {
  const { tenantId, recordId: id, position } = event;
  const known = found.get(id);
  switch (event.type) {
    case 'WebhookCreated':
    case 'WebhookEnabled':
      found.set(id, { lane: newLane({ tenantId, id }, position), requests: [] });
      break;
    case 'WebhookDeleted':
    case 'WebhookDisabled':
      found.delete(id);
      break;
    case 'WebhookRecoveryRequested':
    case 'WebhookResendRequested':
      known?.requests.push(event);
      break;
    case 'WebhookProgressed':
      if (known) progress(known, event.data.position);
  }
}

function progress(known: Recalled, position: Position): void {
  known.lane = { ...known.lane, after: Math.max(known.lane.after, position) };
  known.requests = known.requests.filter((request) => request.position > position);
}

function withRequests(lane: SavedLane, requests: readonly UserRequest[]): SavedLane {
  const resends = new Map<string, SavedEntry>();
  for (const { type, data } of requests)
    if (type === 'WebhookResendRequested') resends.set(data.logged.id, resentOf(data));
  const recoveries = requests.flatMap(({ type, data }) => (type === 'WebhookRecoveryRequested' ? [data] : []));
  return { ...lane, open: [...resends.values()], recovery: recoveries.reduce(combined, lane.recovery) };
}

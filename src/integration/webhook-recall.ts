import {
  type WebhookEvent,
  webhookEvents,
  type WebhookProgressEvent,
  webhookProgressEvents,
} from '../aggregates/webhook.aggregate.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { eventsAfter } from '../eventsourcing/stream-events.js';
import { BEFORE_ALL, type EventReader, type Position } from '../ports/event-store.js';
import { resentOf } from './webhook-entries.js';
import { combined, newLane, type SavedLane } from './webhook-lane.js';

export const configTypes = [...Object.keys(webhookEvents), ...Object.keys(webhookProgressEvents)];

export type ConfigEvent = Recorded<WebhookEvent | WebhookProgressEvent>;
type UserRequest = Extract<ConfigEvent, { type: 'WebhookRecoveryRequested' | 'WebhookResendRequested' }>;
/** `requests`: users' requests that, according to the reported progress, may not be done. */
type Recalled = { readonly lane: SavedLane; readonly requests: readonly UserRequest[] };

/**
 * Finds the webhooks and their reported progress in the history, and adds them to `lanes`. Used if the stored progress
 * is lost. Returns the last position that was read.
 */
export async function recall(
  { events, catalogue }: { readonly events: EventReader; readonly catalogue: EventCatalogue },
  lanes: Map<string, SavedLane>,
): Promise<Position> {
  const head = await events.head();
  let after = BEFORE_ALL;
  const found = new Map<string, Recalled>();
  for await (const event of eventsAfter(events, after, { on: 'type', prefixes: configTypes })) {
    const decoded = catalogue.decode(event) as ConfigEvent;
    const known = recalled(found.get(decoded.recordId), decoded);
    if (known) found.set(decoded.recordId, known);
    else found.delete(decoded.recordId);
    after = event.position;
  }
  for (const [id, { lane, requests }] of found) lanes.set(id, requests.reduce(withRequest, lane));
  return Math.max(after, head);
}

function recalled(known: Recalled | undefined, event: ConfigEvent): Recalled | undefined {
  const { tenantId, recordId: id, position } = event;
  switch (event.type) {
    case 'WebhookCreated':
    case 'WebhookEnabled':
      return { lane: newLane({ tenantId, id }, position), requests: [] };
    case 'WebhookDeleted':
    case 'WebhookDisabled':
      return undefined;
    case 'WebhookRecoveryRequested':
    case 'WebhookResendRequested':
      return known && { ...known, requests: [...known.requests, event] };
    case 'WebhookProgressed':
      return known && progressed(known, event.data.position);
    default:
      return known;
  }
}

const progressed = ({ lane, requests }: Recalled, position: Position): Recalled => ({
  lane: { ...lane, after: Math.max(lane.after, position) },
  requests: requests.filter((request) => request.position > position),
});

const withRequest = (lane: SavedLane, { type, data }: UserRequest): SavedLane =>
  type === 'WebhookRecoveryRequested'
    ? { ...lane, recovery: combined(lane.recovery, data) }
    : { ...lane, open: [...lane.open, resentOf(data)] };

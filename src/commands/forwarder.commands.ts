import { z } from 'zod';
import {
  cancelRewinds,
  FORWARDER,
  forwarder,
  pauseForwarder,
  resumeForwarder,
  rewindForwarder,
  RewindStart,
} from '../aggregates/forwarder.aggregate.js';
import { command, decidesWith, type Target } from '../eventsourcing/command.js';
import { invalid, notFound } from '../eventsourcing/domain-error.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { lastOwnEvent, positionBefore } from '../eventsourcing/stream-events.js';
import { EVENT_STORE, type EventStore, type Position } from '../ports/event-store.js';
import { CLOCK } from '../ports/time.js';

export class RewindForwarder extends command(RewindStart) {}
export class CancelForwarderRewind extends command(z.object({})) {}
export class PauseForwarder extends command(z.object({})) {}
/** `from` is null for the checkpoint, or `now` for the end of the history. */
export class ResumeForwarder extends command(z.object({ from: z.union([z.literal('now'), z.number(), z.null()]) })) {}

function ensureForwarder<C extends { readonly target: Target }>(received: C): C {
  if (received.target.id !== FORWARDER) throw notFound('forwarder');
  return received;
}

/** @throws DomainError invalid */
function ensureWithin(position: Position, head: Position, path: string): void {
  if (position > head)
    throw invalid([{ path, message: `Position ${position} is beyond the end of the history, which is ${head}.` }]);
}

async function positionAfter(
  events: EventStore,
  catalogue: EventCatalogue,
  from: number | 'now' | null,
): Promise<Position | null> {
  if (from === null) return null;
  const head = await lastOwnEvent(events, catalogue);
  if (from === 'now') return head;
  ensureWithin(from, head, 'from');
  return positionBefore(events, from);
}

export const forwarderCommandHandlers = [
  decidesWith(
    RewindForwarder,
    [EVENT_STORE, EventCatalogue, CLOCK],
    async (events, catalogue, clock, { target, data: from }) => {
      ensureForwarder({ target });
      const upTo = await lastOwnEvent(events, catalogue);
      if ('position' in from) ensureWithin(from.position, upTo, 'position');
      else if (Date.parse(from.instant) > clock.nowMs())
        throw invalid([{ path: 'instant', message: `${from.instant} is in the future.` }]);
      return { from, upTo };
    },
    forwarder,
    rewindForwarder,
  ),
  decidesWith(CancelForwarderRewind, [], ensureForwarder, forwarder, cancelRewinds),
  decidesWith(PauseForwarder, [], ensureForwarder, forwarder, pauseForwarder),
  decidesWith(
    ResumeForwarder,
    [EVENT_STORE, EventCatalogue],
    async (events, catalogue, { target, data: { from } }) => {
      ensureForwarder({ target });
      return { after: await positionAfter(events, catalogue, from) };
    },
    forwarder,
    resumeForwarder,
  ),
];

import { UnknownEvent } from '../eventsourcing/event-catalogue.js';
import type { Clock } from '../ports/time.js';

/** Minimum interval between log lines about the same error. */
const COMPLAIN_EVERY_MS = 10_000;
/** Limits the memory. Errors that exceed this number may be logged more often. */
const MAX_KNOWN = 64;

/**
 * Decides which errors to log. In an outage, all open events fail with the same error. Unknown events of one type count
 * as the same error, because many of them may wait during a rolling upgrade.
 */
export class Complaints {
  private readonly dueAtMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  isDue(error: unknown): boolean {
    const [reason, nowMs] = [reasonOf(error), this.clock.monotonicMs()];
    if (nowMs < (this.dueAtMs.get(reason) ?? nowMs)) return false;
    if (this.dueAtMs.size >= MAX_KNOWN) this.dueAtMs.clear();
    this.dueAtMs.set(reason, nowMs + COMPLAIN_EVERY_MS);
    return true;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof UnknownEvent ? `${error.name} ${error.event.type}` : String(error);

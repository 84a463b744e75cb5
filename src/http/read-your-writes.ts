import { Inject, Injectable } from '@nestjs/common';
import { PositionNotReached, readModelBehind } from '../eventsourcing/domain-error.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { Progress } from '../projecting/progress.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import type { AnswerOptions } from './answer.js';

export const SETTINGS = Symbol('SETTINGS');

/** The configuration of the HTTP layer. */
export type HttpSettings = {
  /** Maximum time, in milliseconds, that the response to a command waits for the read models. */
  readonly readWaitMs: number;
  /** Maximum number of open event streams in a process, for each session and for each user across all sessions. */
  readonly sessionStreams: number;
  readonly userStreams: number;
};

/**
 * Maximum time, in milliseconds, that a GET request with X-Min-Position waits for the read models before it fails with
 * 503.
 */
const MIN_POSITION_WAIT_MS = 5_000;
/**
 * Maximum wait, in milliseconds, for a position beyond the end of the history. An append in progress may be about to
 * reach that position.
 */
const UNREACHED_WAIT_MS = 500;

/** Waits for the read models to catch up with a position. */
@Injectable()
export class ReadYourWrites {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /**
   * Once the tenant's read models have reached the position or the wait has timed out, returns the headers for the
   * response to the command.
   */
  async settled(position: number, tenantId: string): Promise<AnswerOptions> {
    const reached = await this.reached(position, this.settings.readWaitMs, tenantId);
    // A stream without events has position −1, which is reported as 0. X-Min-Position 0 never causes a wait.
    return { position: Math.max(0, position), ...(!reached && { behind: true }) };
  }

  /**
   * Resolves once the read models of the tenant (of all tenants, for the platform) have reached the position.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async waitForPosition(position: number, tenantId: string): Promise<void> {
    const reached = (timeoutMs: number) => this.reached(position, timeoutMs, tenantId);
    if (await reached(0)) return;
    const isUnreached = position > (await this.events.head());
    if (isUnreached && !(await reached(UNREACHED_WAIT_MS))) throw new PositionNotReached();
    if (!(await reached(MIN_POSITION_WAIT_MS))) throw readModelBehind();
  }

  /**
   * A tenant's responses depend only on that tenant's history. An operator's responses may depend on every tenant's
   * history.
   */
  private reached(position: number, timeoutMs: number, tenantId: string): Promise<boolean> {
    const own = tenantId === PLATFORM_TENANT ? undefined : tenantId;
    return this.progress.reached(position, timeoutMs, undefined, own);
  }
}

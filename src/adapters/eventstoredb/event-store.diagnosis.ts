import type { EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import { isDenied, reasonOf } from './event-store.errors.js';

export type Doing = 'read $all' | 'read streams' | 'append to streams';

const UNAUTHENTICATED = 16;

/**
 * Identifies the part of EVENTSTORE_URL at fault while the server is unreachable or rejects the user. Each fault is
 * logged once. Contains no address and no secret, because health checks show it.
 */
export class Diagnosis {
  private readonly refused = new Map<Doing, EngineFault>();
  private readonly told = new Set<string>();
  private unreachable: EngineFault | undefined;

  constructor(private readonly logger: Logger) {}

  get fault(): EngineFault | undefined {
    const [refused] = this.refused.values();
    return this.unreachable ?? refused;
  }

  /** Undefined once the server was reached. */
  noteUnreachable(fault: EngineFault | undefined): void {
    this.unreachable = fault;
  }

  /** The server permitted the operation. */
  noteDone(doing: Doing): void {
    if (this.refused.delete(doing) && this.refused.size === 0) this.told.clear();
  }

  /** Records that the server denied the user access; other failures do not point to a setting. */
  noteFailed(doing: Doing, error: unknown): void {
    if (!isDenied(error)) return;
    const isUnknownUser = (error as { code?: unknown }).code === UNAUTHENTICATED;
    const fault = isUnknownUser
      ? { setting: 'EVENTSTORE_URL, user and password', reason: reasonOf(error) }
      : { setting: 'EVENTSTORE_URL, user', reason: `${reasonOf(error)} (it must be allowed to ${doing})` };
    this.refused.set(doing, fault);
    const text = `${fault.setting}: ${fault.reason}`;
    if (this.told.has(text)) return;
    this.told.add(text);
    this.logger.error(fault, 'The event store refuses its user');
  }
}

import type { Engines } from './engines.js';
import type { EventCatalogue } from './platform/event-catalogue.js';
import { BEFORE_ALL, type Position } from './ports/event-store.js';

const ANSWER_WITHIN_MS = 2_000;

/**
 * Whether a process may be sent requests: its engines answer, and its read models once had everything that was stored
 * when it started (a new version of a model may take its time to be filled). A projection that stands still is not waited
 * for: taking every replica out of service would mend nothing.
 */
export class Readiness {
  private startedAt: Position | undefined;
  private hasCaughtUp = false;

  constructor(
    private readonly engines: Engines,
    private readonly catalogue: EventCatalogue,
  ) {}

  /** Answers within two seconds. */
  async check(): Promise<boolean> {
    const tooLate = new AbortController();
    const answers = await Promise.race([
      this.look().catch(() => false),
      this.engines.clock.sleep(ANSWER_WITHIN_MS, tooLate.signal).then(() => false),
    ]);
    tooLate.abort();
    return answers;
  }

  private async look(): Promise<boolean> {
    if (!(await this.engines.isReady())) return false;
    if (this.hasCaughtUp) return true;
    const { progress } = this.engines;
    const target = (this.startedAt ??= await this.lastOwnEvent());
    this.hasCaughtUp = progress.names.every((name) => progress.isStopped(name) || progress.position(name) >= target);
    return this.hasCaughtUp;
  }

  /** The store may hold events of others, which no projection here ever passes by itself. */
  private async lastOwnEvent(): Promise<Position> {
    const filter = { on: 'stream', prefixes: this.catalogue.streamPrefixes } as const;
    const [last] = await this.engines.events.readAll({ direction: 'backwards', filter, maxCount: 1 });
    return last?.position ?? BEFORE_ALL;
  }
}

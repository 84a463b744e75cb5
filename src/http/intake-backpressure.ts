import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../ports/time.js';
import { rangeOf } from '../eventsourcing/ranges.js';
import { Progress } from '../projecting/progress.js';
import { SaleGroups, type Sender } from './sale-groups.js';

/** Maximum time for which an accepted sale may be missing from the read models before further sales are delayed. */
const MAX_LAG_MS = 250;
/** Maximum delay of a sale. */
const MAX_WAIT_MS = 1_000;
/** Minimum interval between remembered positions. */
const MARK_EVERY_MS = 50;
/**
 * Time for which sales are not delayed after a wait during which the read models did not advance. Delays do not help
 * stalled read models.
 */
const STANDSTILL_MS = 5_000;
/** Key of the line for an undivided history. */
const ALL = -1;

type Mark = { readonly position: number; readonly atMs: number };
/** Sales that are delayed together: those of one range or, if the history is not divided, all of them. */
type Line = {
  /** Positions of accepted sales, oldest first, at most one per MARK_EVERY_MS. */
  marks: Mark[];
  freeUntilMs: number;
  waiting: Promise<void> | undefined;
};

/**
 * Slows down the partner intake while the read models are more than a quarter of a second behind. This limits the
 * backlog after a burst. Delays a sale by at most a second and never rejects one. If replicas divide the history, a
 * range that is behind, for example because its leader was killed, delays only the sales of its own tenants. Also
 * collects sales that were not sent in a batch into groups.
 */
@Injectable()
export class IntakeBackpressure {
  private readonly lines = new Map<number, Line>();
  private readonly groups: SaleGroups;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(Progress) private readonly progress: Progress,
  ) {
    this.groups = new SaleGroups(clock);
  }

  /** Remembers the position of an accepted sale. */
  accepted(tenantId: string, position: number): void {
    const { marks } = this.lineOf(tenantId);
    const atMs = this.clock.monotonicMs();
    const last = marks.at(-1);
    if (last && (atMs - last.atMs < MARK_EVERY_MS || position <= last.position)) return;
    marks.push({ position, atMs });
  }

  /**
   * Resolves when the tenant's next sale may be accepted. All delayed sales of a range share one wait, so that they are
   * appended in a single commit.
   *
   * @param sender the connection of a single sale, which may wait for other sales; undefined for a batch
   */
  async turn(tenantId: string, sender?: Sender): Promise<void> {
    await (sender && this.groups.join(sender));
    const line = this.lineOf(tenantId);
    const nowMs = this.clock.monotonicMs();
    const due = line.marks.findLast(({ atMs }) => nowMs - atMs > MAX_LAG_MS);
    if (!due) return;
    if (nowMs >= line.freeUntilMs) {
      line.waiting ??= this.untilReached(tenantId, line, due).finally(() => (line.waiting = undefined));
      await line.waiting;
    }
    const slowest = this.slowest(tenantId);
    // The newest due position represents all earlier ones.
    line.marks = line.marks.filter(({ position }) => position > slowest && position >= due.position);
  }

  private lineOf(tenantId: string): Line {
    const range = this.progress.divided.length > 0 ? rangeOf(tenantId) : ALL;
    const known = this.lines.get(range);
    if (known) return known;
    const line: Line = { marks: [], freeUntilMs: Number.NEGATIVE_INFINITY, waiting: undefined };
    this.lines.set(range, line);
    return line;
  }

  private async untilReached(tenantId: string, line: Line, { position }: Mark): Promise<void> {
    const before = this.slowest(tenantId);
    const reached = await this.progress.reached(position, MAX_WAIT_MS, this.names, tenantId);
    if (!reached && this.slowest(tenantId) === before) line.freeUntilMs = this.clock.monotonicMs() + STANDSTILL_MS;
  }

  private slowest(tenantId: string): number {
    const range = rangeOf(tenantId);
    return Math.min(...this.names.map((name) => this.progress.position(name, range)));
  }

  /** The read models that contain sales. If the history is divided, the others do not. */
  private get names(): readonly string[] {
    const { divided, names } = this.progress;
    return divided.length > 0 ? divided : names;
  }
}

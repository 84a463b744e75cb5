import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../ports/time.js';
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

type Mark = { readonly position: number; readonly atMs: number };

/**
 * Slows down the partner intake while the read models are more than a quarter of a second behind. This limits the
 * backlog after a burst. Delays a sale by at most a second and never rejects one. Also gathers single sales in groups.
 */
@Injectable()
export class IntakeBackpressure {
  /** Positions of accepted sales, oldest first, at most one per MARK_EVERY_MS. */
  private marks: Mark[] = [];
  private freeUntilMs = Number.NEGATIVE_INFINITY;
  private waiting: Promise<void> | undefined;
  private readonly groups: SaleGroups;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(Progress) private readonly progress: Progress,
  ) {
    this.groups = new SaleGroups(clock);
  }

  /** Remembers the position of an accepted sale. */
  accepted(position: number): void {
    const atMs = this.clock.monotonicMs();
    const last = this.marks.at(-1);
    if (last && (atMs - last.atMs < MARK_EVERY_MS || position <= last.position)) return;
    this.marks.push({ position, atMs });
  }

  /**
   * Resolves when the next sale may be accepted. All delayed sales share one wait, so that they are appended in a
   * single commit.
   *
   * @param sender the connection of a single sale, which may wait for other sales; undefined for a batch
   */
  async turn(sender?: Sender): Promise<void> {
    await (sender && this.groups.join(sender));
    const nowMs = this.clock.monotonicMs();
    const due = this.marks.findLast(({ atMs }) => nowMs - atMs > MAX_LAG_MS);
    if (!due) return;
    if (nowMs >= this.freeUntilMs) {
      this.waiting ??= this.untilReached(due).finally(() => (this.waiting = undefined));
      await this.waiting;
    }
    const slowest = this.slowest();
    // The newest due position represents all earlier ones.
    this.marks = this.marks.filter(({ position }) => position > slowest && position >= due.position);
  }

  private async untilReached({ position }: Mark): Promise<void> {
    const before = this.slowest();
    const reached = await this.progress.reached(position, MAX_WAIT_MS);
    if (!reached && this.slowest() === before) this.freeUntilMs = this.clock.monotonicMs() + STANDSTILL_MS;
  }

  private slowest(): number {
    return Math.min(...this.progress.names.map((name) => this.progress.position(name)));
  }
}

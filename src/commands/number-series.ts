import { LRUCache } from 'lru-cache';
import { numberSequence, reserveNumbers } from '../aggregates/number-sequence.aggregate.js';
import type { CommandRunner } from '../eventsourcing/command-runner.js';
import { besideIfMatch } from '../eventsourcing/context.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import type { Ids } from '../ports/time.js';

const BLOCK = 20;

/**
 * Number of consecutive manually assigned codes to skip one at a time. Beyond this number, each attempt doubles the
 * step.
 */
const PASSED_ONE_BY_ONE = 5;
/** Maximum number of attempts. It is sufficient for about a million manually assigned codes. */
const MAX_NUMBERS_TRIED = 20;

/**
 * Generates sequential codes, such as C-000001. Each tenant has its own sequence, from which each process reserves
 * numbers in blocks.
 */
export class NumberSeries {
  private readonly blocks = new LRUCache<string, { next: number; upTo: number }>({ max: 1_000 });
  private readonly queue = new KeyedQueue();

  /** `id` identifies the sequence within each tenant. */
  constructor(
    private readonly runner: CommandRunner,
    private readonly ids: Ids,
    private readonly series: { readonly id: string; readonly prefix: string },
  ) {}

  next(tenantId: string): Promise<string> {
    return this.queue.run(tenantId, async () => {
      const block = this.blocks.get(tenantId) ?? (await this.reserve(tenantId));
      const number = block.next;
      block.next += 1;
      if (block.next > block.upTo) this.blocks.delete(tenantId);
      return this.numbered(number);
    });
  }

  /** Formats a number as a code of the series. */
  numbered(number: number): string {
    return `${this.series.prefix}-${number.toString().padStart(6, '0')}`;
  }

  /**
   * Prepares the next attempt after `tried` consecutive codes turned out to be assigned manually. May skip codes,
   * including the remaining numbers of this process's block. Returns false if no further attempt is allowed.
   */
  async afterTaken(tenantId: string, tried: number): Promise<boolean> {
    if (tried === MAX_NUMBERS_TRIED) return false;
    if (tried > PASSED_ONE_BY_ONE) await this.queue.run(tenantId, () => this.reserve(tenantId, 2 ** tried));
    return true;
  }

  /** Skips `skipped` numbers and reserves the next block. */
  private async reserve(tenantId: string, skipped = 0): Promise<{ next: number; upTo: number }> {
    const target = { tenantId, id: this.series.id };
    const reserving = () => this.runner.execute(numberSequence, target, { count: skipped + BLOCK }, reserveNumbers);
    // The reservation needs its own command id, because the current command may reserve more than once.
    const { state } = await besideIfMatch(reserving, { tenantId, commandId: this.ids.next() });
    const block = { next: state.upTo - BLOCK + 1, upTo: state.upTo };
    this.blocks.set(tenantId, block);
    return block;
  }
}

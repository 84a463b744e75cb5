import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { numberSequence, reserveNumbers } from '../aggregates/number-sequence.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { besideIfMatch } from '../eventsourcing/context.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { IDS, type Ids } from '../ports/time.js';

const BLOCK = 20;

/** Generates customer codes (C-000001, …) from one sequence per tenant, which is reserved in blocks. */
@Injectable()
export class CustomerCodes {
  private readonly blocks = new LRUCache<string, { next: number; upTo: number }>({ max: 1_000 });
  private readonly queue = new KeyedQueue();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  next(tenantId: string): Promise<string> {
    return this.queue.run(tenantId, async () => {
      const block = this.blocks.get(tenantId) ?? (await this.reserve(tenantId));
      const number = block.next;
      block.next += 1;
      if (block.next > block.upTo) this.blocks.delete(tenantId);
      return `C-${number.toString().padStart(6, '0')}`;
    });
  }

  /** Skips the next `numbers` of the sequence, and the unused rest of this process's block. */
  async skip(tenantId: string, numbers: number): Promise<void> {
    await this.queue.run(tenantId, () => this.reserve(tenantId, numbers));
  }

  /** Reserves the block after `skipped` numbers. */
  private async reserve(tenantId: string, skipped = 0): Promise<{ next: number; upTo: number }> {
    const target = { tenantId, id: 'customer-codes' };
    const reserving = () => this.runner.execute(numberSequence, target, { count: skipped + BLOCK }, reserveNumbers);
    // Needs its own command id: the id of the current command must not occur twice in the sequence's stream.
    const { state } = await besideIfMatch(reserving, { tenantId, commandId: this.ids.next() });
    const block = { next: state.upTo - BLOCK + 1, upTo: state.upTo };
    this.blocks.set(tenantId, block);
    return block;
  }
}

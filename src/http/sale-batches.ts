import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SalePayload } from '../aggregates/sale-payload.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { type Intake, type IntakeAnswer, TakeSale } from '../integration/sale-intake.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { type PartnerPrincipal, RATE_LIMITER, type RateLimiter } from '../security/principal.js';
import type { AnswerOptions } from './answer.js';
import { IntakeBackpressure } from './intake-backpressure.js';
import { requireFewValues } from './json-body.js';
import { partnerProblem, problemOf } from './problem.js';
import { partnerQuota, RateGate } from './rate-limiter.js';
import { parsed } from './request-input.js';
import type { RequestState } from './request-state.js';

/** Maximum number of values in the JSON of a sale, whether sent alone or in a batch. */
export const MAX_SALE_VALUES = 16_384;
/** Maximum number of sales in a batch that share a flush. */
const AT_ONCE = 64;
/** Time after which a batch yields to other requests. */
const STRETCH_MS = 5;

export type Batch = Pick<Intake, 'isOnlyValidated'> & {
  readonly partner: PartnerPrincipal;
  readonly requestId: string;
  readonly sales: readonly unknown[];
};
/** The result for one sale in a batch. Its status and body are the same as for a sale that is sent alone. */
export type BatchItem = {
  /** External id of the sale; null if it has none. */
  readonly externalId: string | null;
  readonly status: number;
  readonly body: object;
  /** Same content as the `Idempotency-Differs` header. */
  readonly differs?: readonly string[];
};
type Answered = { readonly item: BatchItem; readonly answer?: IntakeAnswer; readonly retryAfterSeconds?: number };
export type BatchAnswer = { readonly items: readonly BatchItem[]; readonly options: AnswerOptions } & Required<
  Pick<RequestState, 'sales'>
>;

/** 202: stored by this request. 200: replayed, or only validated. */
export const statusOf = ({ replayed, receipt: { status } }: IntakeAnswer): number =>
  replayed || status === 'VALID' ? 200 : 202;

/** Counts the sales that were stored, now or earlier. */
export const salesIn = (answers: readonly IntakeAnswer[]): NonNullable<RequestState['sales']> => ({
  accepted: answers.filter((answer) => statusOf(answer) === 202).length,
  replayed: answers.filter(({ replayed }) => replayed).length,
});

const externalIdOf = (sale: unknown): string | null => {
  const { externalId } = (sale ?? {}) as { externalId?: unknown };
  return typeof externalId === 'string' ? externalId : null;
};

/**
 * Accepts the sales of a batch in order, as if each had been sent alone. Several sales share a flush. Sales with the
 * same external id are processed one after another. A rejected sale does not affect the others.
 */
@Injectable()
export class SaleBatches {
  private readonly rates: RateGate;
  private readonly turns = new KeyedQueue();

  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(IntakeBackpressure) private readonly backpressure: IntakeBackpressure,
    @Inject(RATE_LIMITER) rateLimiter: RateLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.rates = new RateGate(rateLimiter, clock);
  }

  async take(batch: Batch): Promise<BatchAnswer> {
    const { sales, partner } = batch;
    // The first sale was counted when the request was admitted.
    const { headers, admitted, refusal } = await this.rates.countFurther(partnerQuota(partner), sales.length - 1);
    const within = sales.slice(0, 1 + admitted);
    const answered: Answered[] = [];
    while (answered.length < within.length) {
      if (!batch.isOnlyValidated) await this.backpressure.turn(partner.tenantId);
      answered.push(...(await Promise.all(await this.inTurn(batch, within.slice(answered.length)))));
      await nextTurn();
    }
    answered.push(...sales.slice(within.length).map((sale) => this.refused(batch, sale, refusal)));
    return this.told(partner, answered, headers);
  }

  private told(
    { tenantId }: PartnerPrincipal,
    answered: readonly Answered[],
    headers: Readonly<Record<string, string>>,
  ): BatchAnswer {
    const answers = answered.flatMap(({ answer }) => answer ?? []);
    const position = Math.max(0, ...answers.map((answer) => answer.position));
    if (answers.some((answer) => statusOf(answer) === 202)) this.backpressure.accepted(tenantId, position);
    const pauses = answered.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
    const pause = pauses.length > 0 ? { 'retry-after': Math.max(...pauses) } : {};
    return {
      items: answered.map(({ item }) => item),
      options: { position, headers: { ...headers, ...pause } },
      sales: salesIn(answers),
    };
  }

  /**
   * Lets only one batch at a time start sales. Otherwise, concurrent batches would cause a long delay for other
   * requests.
   */
  private inTurn(batch: Batch, sales: readonly unknown[]): Promise<Promise<Answered>[]> {
    return this.turns.run('batch', async () => {
      const begun = this.begin(batch, sales);
      await nextTurn();
      return begun;
    });
  }

  /** Starts as many sales as may run concurrently. The returned promises never reject. */
  private begin(batch: Batch, sales: readonly unknown[]): Promise<Answered>[] {
    const beganMs = this.clock.monotonicMs();
    const latest = new Map<string, Promise<Answered>>();
    const begun: Promise<Answered>[] = [];
    for (const sale of sales.slice(0, AT_ONCE)) {
      if (begun.length > 0 && this.clock.monotonicMs() - beganMs > STRETCH_MS) break;
      const id = externalIdOf(sale);
      const before = id === null ? undefined : latest.get(id);
      const answered = before ? before.then(() => this.answered(batch, sale)) : this.answered(batch, sale);
      if (id !== null) latest.set(id, answered);
      begun.push(answered);
    }
    return begun;
  }

  private async answered(batch: Batch, sale: unknown): Promise<Answered> {
    try {
      requireFewValues(sale, MAX_SALE_VALUES);
      const payload = parsed(SalePayload, sale);
      const { partner, isOnlyValidated } = batch;
      const { tenantId, sourceId } = partner;
      const intake = { tenantId, sourceId, idempotencyKey: undefined, payload, received: payload, isOnlyValidated };
      // Each sale has its own command id. With a shared command id, a repeated sale would get the event ids of the
      // first sale, and its append would be treated as a retry.
      const context = { ...currentContext(), commandId: this.ids.next() };
      const answer = await inContext(context, () => this.commands.execute(new TakeSale(intake)));
      const { receipt: body, differing: differs } = answer;
      const { externalId } = payload;
      const item = { externalId, status: statusOf(answer), body, ...(differs.length > 0 && { differs }) };
      return { item, answer };
    } catch (error) {
      return this.refused(batch, sale, error);
    }
  }

  private refused({ requestId, partner }: Batch, sale: unknown, error: unknown): Answered {
    const problem = problemOf(error);
    const { tenantId } = partner;
    if (problem.defect) this.logger.error({ err: error, requestId, tenantId }, 'a sale in a batch failed');
    const { status, retryAfterSeconds } = problem;
    const item = { externalId: externalIdOf(sale), status, body: partnerProblem(problem, requestId) };
    return { item, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
}

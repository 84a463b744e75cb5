import { Inject, Injectable } from '@nestjs/common';
import { category, presentCategory } from '../aggregates/category.aggregate.js';
import {
  customer,
  recategorizeOpeningBalance,
  restoreOpeningBalanceCategory,
} from '../aggregates/customer.aggregate.js';
import {
  type AppliedTo,
  type LedgerTrail,
  type RecategorizationRequest,
  standingOf,
} from '../aggregates/ledger-trail.js';
import {
  failApplication,
  recordApplied,
  recordUndone,
  ruleApplication,
  type RuleApplicationEvent,
  type StartedRuleApplication,
} from '../aggregates/rule-application.aggregate.js';
import { recategorizeSaleTransaction, restoreSaleTransactionCategory, sale } from '../aggregates/sale.aggregate.js';
import {
  recategorizeTransaction,
  restoreTransactionCategory,
  transactionAggregate,
} from '../aggregates/transaction.aggregate.js';
import type { Aggregate, Decision, DomainEvent } from '../eventsourcing/aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { inLanes } from '../eventsourcing/in-lanes.js';
import { inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { isTransient } from '../eventsourcing/transient-errors.js';
import { type Place, RuleApplicationReader } from '../queries/rule-application.reader.js';

type WorkEvent = Recorded<
  Extract<
    RuleApplicationEvent,
    {
      type:
        | 'RuleApplicationStarted'
        | 'RuleApplicationProgressed'
        | 'RuleApplicationUndoStarted'
        | 'RuleApplicationUndoProgressed';
    }
  >
>;
type Carrying = { readonly status: string; readonly trail?: LedgerTrail };

/** Number of transactions changed concurrently. */
const LANES = 8;

/**
 * Applies rules to past transactions and undoes rule applications, one batch per event. Each batch ends with an event
 * that causes the next batch. After a crash, the redelivered event repeats its batch. A repeated batch counts
 * transactions that the application has already changed, but does not change them again.
 */
@Injectable()
export class RuleApplicationPolicy implements Policy {
  readonly name = 'rule-application';
  readonly types = [
    'RuleApplicationStarted',
    'RuleApplicationProgressed',
    'RuleApplicationUndoStarted',
    'RuleApplicationUndoProgressed',
  ];

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(RuleApplicationReader) private readonly reads: RuleApplicationReader,
  ) {}

  async react(event: WorkEvent): Promise<void> {
    const { tenantId, recordId: id } = event;
    const { state } = await this.reader.read(ruleApplication, tenantId, id);
    const after = 'after' in event.data ? event.data.after : '';
    if (state.status === 'absent' || state.after !== after) return;
    const isUndo = event.type.startsWith('RuleApplicationUndo');
    if (state.status !== (isUndo ? 'UNDOING' : 'RUNNING')) return;
    const target = { tenantId, id };
    const work = () => (isUndo ? this.undo(target, state, event.position) : this.apply(target, state, event.position));
    await inReactionTo(event, this.name, work);
  }

  private async apply(target: Target, state: StartedRuleApplication, position: number): Promise<void> {
    const { tenantId, id: applicationId } = target;
    const { ruleId, rule, replace, after } = state;
    const { categoryId } = rule;
    const found = presentCategory((await this.reader.read(category, tenantId, categoryId)).state);
    // If the category has since been archived, the first match ends the application.
    const matchable = {
      ...rule,
      id: ruleId,
      createdAt: '',
      category: { direction: found.direction, isArchived: false },
    };
    const part = await this.reads.candidates(target, state, { rule: matchable, position });
    const { places, changed, examined, next } = part;
    const categorizedBy = { ruleId, source: rule.source };
    const request = { applicationId, categoryId, replace, category: found, categorizedBy };
    try {
      await inLanes(LANES, places, async (place) => {
        const change = { ...request, transactionId: place.id };
        if ((await this.recategorize(tenantId, place, change)) === 'applied') changed.add(place.id);
      });
    } catch (error) {
      if (isTransient(error) || !(error instanceof DomainError)) throw error;
      const failure = { code: error.code, message: error.message, changed: changed.size };
      await this.runner.execute(ruleApplication, target, failure, failApplication);
      return;
    }
    await this.runner.execute(ruleApplication, target, { after, next, examined, changed: changed.size }, recordApplied);
  }

  private async undo(target: Target, state: StartedRuleApplication, position: number): Promise<void> {
    const { tenantId, id: applicationId } = target;
    const { places, next } = await this.reads.changes(target, state, position);
    let restored = 0;
    await inLanes(LANES, places, async (place) => {
      const request = { transactionId: place.id, applicationId };
      if ((await this.restore(tenantId, place, request)) === 'restored') restored += 1;
    });
    const done = { after: state.after, next, restored, kept: places.length - restored };
    await this.runner.execute(ruleApplication, target, done, recordUndone);
  }

  private recategorize(tenantId: string, { carrier }: Place, request: RecategorizationRequest) {
    const target = { tenantId, id: carrier.recordId };
    switch (carrier.entity) {
      case 'transaction':
        return this.change(transactionAggregate, target, request, recategorizeTransaction);
      case 'sale':
        return this.change(sale, target, request, recategorizeSaleTransaction);
      case 'customer':
        return this.change(customer, target, request, recategorizeOpeningBalance);
    }
  }

  private restore(tenantId: string, { carrier }: Place, request: AppliedTo) {
    const target = { tenantId, id: carrier.recordId };
    switch (carrier.entity) {
      case 'transaction':
        return this.change(transactionAggregate, target, request, restoreTransactionCategory);
      case 'sale':
        return this.change(sale, target, request, restoreSaleTransactionCategory);
      case 'customer':
        return this.change(customer, target, request, restoreOpeningBalanceCategory);
    }
  }

  private async change<S extends Carrying, E extends DomainEvent, D extends AppliedTo>(
    aggregate: Aggregate<S, E>,
    target: Target,
    request: D,
    decide: Decision<S, D, E>,
  ) {
    const { state } = await this.runner.execute(aggregate, target, request, decide);
    return standingOf(state.trail ?? {}, request);
  }
}

import { z } from 'zod';
import {
  ApplyCategoryRule as ApplyInput,
  ruleApplication,
  startApplication,
  startedApplication,
  startUndo,
} from '../aggregates/rule-application.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { CLOCK } from '../ports/time.js';
import { applicableRule } from '../queries/rule-application.queries.js';
import { RuleApplicationReader } from '../queries/rule-application.reader.js';

/** Starts the application of a rule to past transactions. A policy carries it out. */
export class ApplyCategoryRule extends command(ApplyInput) {
  constructor(
    target: ApplyCategoryRule['target'],
    data: ApplyCategoryRule['data'],
    readonly ruleId: string,
  ) {
    super(target, data);
  }
}

/**
 * `restored`: number of transactions whose category was restored. `kept`: number of transactions left unchanged,
 * because they had been changed after the rule was applied.
 */
export type Undone = Receipt & { readonly restored: number; readonly kept: number };
const nothing = z.object({});
/**
 * Undoes the application of a rule. Waits up to PATIENCE_MS for the policy to complete the work. A retried request
 * continues to wait, or returns the first result. @throws DomainError unavailable if the work takes longer
 */
export class UndoRuleApplication extends command<typeof nothing, Undone>(nothing) {}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 30_000;

const stillUndoing = () =>
  new DomainError(
    'unavailable',
    'UNAVAILABLE',
    'The application of the rule is still being undone. Repeat the request to get the result.',
    {
      retryAfterSeconds: 5,
    },
  );

export const ruleApplicationCommandHandlers = [
  handles(
    ApplyCategoryRule,
    [CommandRunner, RecordReader, RuleApplicationReader],
    async (runner, reader, reads, { target, data, ruleId }) => {
      const { id: _, createdAt: __, category: ___, ...rule } = await applicableRule(reader, target.tenantId, ruleId);
      const { dateFrom = null, dateTo = null, replace } = data;
      const total = await reads.count(target.tenantId, { dateFrom, dateTo });
      const started = { ruleId, rule, dateFrom, dateTo, replace, total };
      return receiptOf(await runner.execute(ruleApplication, target, started, startApplication));
    },
  ),
  handles(UndoRuleApplication, [CommandRunner, RecordReader, CLOCK], async (runner, reader, clock, { target }) => {
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    let found = await runner.execute(ruleApplication, target, {}, startUndo);
    for (;;) {
      const { status, restored, kept } = startedApplication(found.state);
      if (status === 'UNDONE') return { ...receiptOf({ ...found, id: target.id }), restored, kept };
      if (clock.monotonicMs() >= untilMs) throw stillUndoing();
      await clock.sleep(LOOK_EVERY_MS);
      found = { ...found, ...(await reader.read(ruleApplication, target.tenantId, target.id)) };
    }
  }),
];

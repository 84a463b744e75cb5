import { Inject, Injectable } from '@nestjs/common';
import { disputeCategoryRule, learnCategoryRule } from '../aggregates/category-rule-learning.js';
import { normalizedText } from '../aggregates/category-rule-matching.js';
import { categoryRule } from '../aggregates/category-rule.aggregate.js';
import { category } from '../aggregates/category.aggregate.js';
import { customer, type CustomerEvent } from '../aggregates/customer.aggregate.js';
import { currentOf, type CategoryChoice } from '../aggregates/ledger-trail.js';
import {
  learnedRuleId,
  merchantChoices,
  merchantChoicesId,
  noteChoice,
  type MerchantChoices,
} from '../aggregates/merchant-choices.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { transactionAggregate, type TransactionEvent } from '../aggregates/transaction.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { noticeId } from './notice-ids.js';
import { sendSystemNotification } from './notification.policy.js';

type Choice = Extract<
  TransactionEvent | SaleEvent | CustomerEvent,
  {
    type:
      | 'TransactionRecorded'
      | 'TransactionReplacementRecorded'
      | 'TransactionCategorized'
      | 'SaleTransactionCategorized'
      | 'OpeningBalanceReplacementRecorded'
      | 'OpeningBalanceCategorized';
  }
>;
type Merchant = { readonly tenantId: string; readonly choicesId: string; readonly name: string };

const MAX_SHOWN_NAME = 120;

/**
 * Learns category rules from users' choices. Records each choice in the merchant's stream, whose state determines the
 * learned category, and then updates the rules accordingly. After a crash between these two steps, redelivery finds the
 * recorded choice and updates the rules.
 */
@Injectable()
export class CategoryLearningPolicy implements Policy {
  readonly name = 'category-learning';
  readonly types = [
    'TransactionRecorded',
    'TransactionReplacementRecorded',
    'TransactionCategorized',
    'SaleTransactionCategorized',
    'OpeningBalanceReplacementRecorded',
    'OpeningBalanceCategorized',
  ];
  /** Learning compares the newest choices, so their order matters across transactions. */
  readonly inOrder = true;

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  async react(event: Recorded<Choice>): Promise<void> {
    const choice = choiceOf(event);
    if (!choice || choice.customerId === null || event.metadata.userId === undefined) return;
    if (choice.categoryId === (await this.correctedCategory(event))) return;
    const merchant = await this.merchantOf(event.tenantId, choice.customerId);
    if (merchant) await inReactionTo(event, this.name, () => this.learn(event, choice, merchant));
  }

  /** Returns the category of the transaction that a correction replaces. Keeping that category is not a choice. */
  private async correctedCategory({ type, tenantId, recordId, data }: Recorded<Choice>) {
    if (!('correctionOf' in data)) return undefined;
    const { state } =
      type === 'TransactionReplacementRecorded'
        ? await this.reader.read(transactionAggregate, tenantId, recordId)
        : await this.reader.read(customer, tenantId, recordId);
    return state.status === 'absent' ? undefined : currentOf(state.trail, data.correctionOf).categoryId;
  }

  private async merchantOf(tenantId: string, customerId: string): Promise<Merchant | undefined> {
    const { state } = await this.reader.read(customer, tenantId, customerId);
    // The default customer represents many customers with nothing in common.
    if (state.status === 'absent' || state.isDefault) return undefined;
    const text = normalizedText(state.name);
    if (text === '') return undefined;
    return { tenantId, choicesId: merchantChoicesId(tenantId, text), name: state.name };
  }

  private async learn(
    event: Recorded<Choice>,
    { transactionId, categoryId }: CategoryChoice,
    merchant: Merchant,
  ): Promise<void> {
    const { id: choiceId, metadata } = event;
    const { timestamp: chosenAt } = metadata;
    const target = { tenantId: merchant.tenantId, id: merchant.choicesId };
    const noted = { transactionId, categoryId, choiceId, chosenAt };
    const { state } = await this.runner.execute(merchantChoices, target, noted, noteChoice);
    await this.settle(state, merchant, event);
  }

  private async settle(
    { learned, unlearned }: MerchantChoices,
    merchant: Merchant,
    event: Recorded<Choice>,
  ): Promise<void> {
    const ruleOf = (categoryId: string) => ({
      tenantId: merchant.tenantId,
      id: learnedRuleId(merchant.choicesId, categoryId),
    });
    if (unlearned) {
      const disputed = { ...unlearned, merchant: merchant.name };
      await this.runner.execute(categoryRule, ruleOf(unlearned.categoryId), disputed, disputeCategoryRule);
    }
    if (!learned) return;
    const { categoryId } = learned;
    const { state } = await this.reader.read(category, merchant.tenantId, categoryId);
    if (state.status !== 'active') return;
    const rule = ruleOf(categoryId);
    const made = { categoryId, merchant: merchant.name };
    const { state: now } = await this.runner.execute(categoryRule, rule, made, learnCategoryRule);
    // The notification id is derived from the rule, so a redelivery after a crash sends the notification only if it is
    // still unsent.
    if (now.status !== 'present' || now.source !== 'LEARNED' || !now.isEnabled) return;
    const name = merchant.name.slice(0, MAX_SHOWN_NAME);
    await sendSystemNotification(this.runner, event, {
      ...{ tenantId: merchant.tenantId, id: noticeId('rule-learned', rule.id) },
      title: `A rule was learned for ${name}`,
      body: `You chose "${state.name}" three times in a row for ${name}. New transactions of ${name} now get this category.`,
      type: 'INFO',
      link: null,
      audience: { kind: 'users', userIds: [event.metadata.userId ?? ''] },
    });
  }
}

/** Returns the choice in an event. A new transaction's category is also a choice, unless a rule assigned it. */
function choiceOf({ data }: Choice): CategoryChoice | undefined {
  if (!('transaction' in data)) return data;
  const { id: transactionId, categoryId, customerId } = data.transaction;
  return categoryId === null || data.categorizedBy ? undefined : { transactionId, categoryId, customerId };
}

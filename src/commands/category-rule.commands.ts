import { Inject, Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { account } from '../aggregates/account.aggregate.js';
import {
  categoryRule,
  CreateCategoryRule as CreateInput,
  createCategoryRule,
  deleteCategoryRule,
  ToggleRuleEnabled,
  UpdateCategoryRule as UpdateInput,
  updateCategoryRule,
  UpdateRulePriority,
} from '../aggregates/category-rule.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, receiptOf, type Receipt } from '../platform/command.js';
import { conflict, notFoundAt } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { categoryNamed } from './category-check.js';

export class CreateCategoryRule extends command(CreateInput) {}
export class UpdateCategoryRule extends command(UpdateInput) {}
export class SetCategoryRuleEnabled extends command(ToggleRuleEnabled) {}
export class SetCategoryRulePriority extends command(UpdateRulePriority) {}
export class DeleteCategoryRule extends command(z.object({})) {}

type References = { readonly categoryId?: string; readonly accountId?: string | null };

/** Whether what a rule names is there: a category that is not archived, and an account (a customer's is its own id). */
@Injectable()
export class CategoryRuleReferences {
  constructor(@Inject(RecordReader) private readonly reader: RecordReader) {}

  /** @throws DomainError not_found with the path; conflict CATEGORY_ARCHIVED */
  async ensure(tenantId: string, { categoryId, accountId }: References): Promise<void> {
    if (categoryId !== undefined) await this.ensureCategory(tenantId, categoryId);
    if (accountId !== undefined && accountId !== null) await this.ensureAccount(tenantId, accountId);
  }

  private async ensureCategory(tenantId: string, id: string): Promise<void> {
    const { status } = await categoryNamed(this.reader, tenantId, id);
    if (status === 'archived') throw conflict('CATEGORY_ARCHIVED', 'The category is archived.');
  }

  private async ensureAccount(tenantId: string, id: string): Promise<void> {
    const [{ state }, owner] = await Promise.all([
      this.reader.read(account, tenantId, id),
      this.reader.read(customer, tenantId, id),
    ]);
    if (state.status !== 'present' && owner.state.status !== 'present') throw notFoundAt('accountId', 'account');
  }
}

@CommandHandler(CreateCategoryRule)
export class CreateCategoryRuleHandler implements ICommandHandler<CreateCategoryRule, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CategoryRuleReferences) private readonly references: CategoryRuleReferences,
  ) {}

  async execute({ target, data }: CreateCategoryRule): Promise<Receipt> {
    await this.references.ensure(target.tenantId, data);
    const made = { ...data, source: 'MANUAL' as const };
    return receiptOf(await this.runner.execute(categoryRule, target, made, createCategoryRule));
  }
}

@CommandHandler(UpdateCategoryRule)
export class UpdateCategoryRuleHandler implements ICommandHandler<UpdateCategoryRule, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CategoryRuleReferences) private readonly references: CategoryRuleReferences,
  ) {}

  async execute({ target, data }: UpdateCategoryRule): Promise<Receipt> {
    await this.references.ensure(target.tenantId, data);
    return receiptOf(await this.runner.execute(categoryRule, target, data, updateCategoryRule));
  }
}

export const categoryRuleCommandHandlers = [
  CategoryRuleReferences,
  CreateCategoryRuleHandler,
  UpdateCategoryRuleHandler,
  decides(SetCategoryRuleEnabled, categoryRule, updateCategoryRule),
  decides(SetCategoryRulePriority, categoryRule, updateCategoryRule),
  decides(DeleteCategoryRule, categoryRule, deleteCategoryRule),
];

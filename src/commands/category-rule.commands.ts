import { z } from 'zod';
import { account } from '../aggregates/account.aggregate.js';
import {
  amountsIn,
  categoryRule,
  CreateCategoryRule as CreateInput,
  createCategoryRule,
  deleteCategoryRule,
  ensureCanMatch,
  presentRule,
  ToggleRuleEnabled,
  UpdateCategoryRule as UpdateInput,
  updateCategoryRule,
  UpdateRulePriority,
  type RuleDetails,
} from '../aggregates/category-rule.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { command, decides, decidesWith } from '../eventsourcing/command.js';
import { conflict, notFoundAt } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { categoryNamed } from './category-check.js';

export class CreateCategoryRule extends command(CreateInput) {}
export class UpdateCategoryRule extends command(UpdateInput) {}
export class SetCategoryRuleEnabled extends command(ToggleRuleEnabled) {}
export class SetCategoryRulePriority extends command(UpdateRulePriority) {}
export class DeleteCategoryRule extends command(z.object({})) {}

async function ensureCategory(
  reader: RecordReader,
  tenantId: string,
  { categoryId = '', direction = null }: UpdateInput,
  isNew: boolean,
): Promise<void> {
  const found = await categoryNamed(reader, tenantId, categoryId);
  if (isNew && found.status === 'archived') throw conflict('CATEGORY_ARCHIVED', 'The category is archived.');
  ensureCanMatch(direction, found);
}

async function ensureAccount(reader: RecordReader, tenantId: string, id: string): Promise<void> {
  const [{ state }, owner] = await Promise.all([
    reader.read(account, tenantId, id),
    reader.read(customer, tenantId, id),
  ]);
  if (state.status !== 'present' && owner.state.status !== 'present') throw notFoundAt('accountId', 'account');
}

/**
 * Checks a rule against the records it references, and formats its amounts with the currency's decimals. `known` is the
 * rule before an update.
 * @throws DomainError not_found with the path; invalid for amounts; conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
async function checked<Input extends UpdateInput>(
  reader: RecordReader,
  tenantId: string,
  input: Input,
  known?: RuleDetails,
): Promise<Input> {
  const { categoryId, direction, accountId } = input;
  if (categoryId !== undefined || direction !== undefined)
    await ensureCategory(reader, tenantId, { ...known, ...input }, categoryId !== undefined);
  if (accountId !== undefined && accountId !== null) await ensureAccount(reader, tenantId, accountId);
  const { state } = await reader.read(tenant, PLATFORM_TENANT, tenantId);
  return { ...input, ...amountsIn(presentTenant(state).currency, input) };
}

export const categoryRuleCommandHandlers = [
  decidesWith(
    CreateCategoryRule,
    [RecordReader],
    async (reader, { target, data }) => ({
      ...(await checked(reader, target.tenantId, data)),
      source: 'MANUAL' as const,
    }),
    categoryRule,
    createCategoryRule,
  ),
  decidesWith(
    UpdateCategoryRule,
    [RecordReader],
    async (reader, { target, data }) => {
      const { state } = await reader.read(categoryRule, target.tenantId, target.id);
      return checked(reader, target.tenantId, data, presentRule(state));
    },
    categoryRule,
    updateCategoryRule,
  ),
  decides(SetCategoryRuleEnabled, categoryRule, updateCategoryRule),
  decides(SetCategoryRulePriority, categoryRule, updateCategoryRule),
  decides(DeleteCategoryRule, categoryRule, deleteCategoryRule),
];

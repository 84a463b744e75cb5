import { z } from 'zod';
import { account } from '../aggregates/account.aggregate.js';
import * as rules from '../aggregates/category-rule.aggregate.js';
import * as categories from '../aggregates/category.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { command, decides, decidesWith, type Target } from '../eventsourcing/command.js';
import { conflict, invalid, notFoundAt } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { LedgerUse } from '../queries/ledger-use.js';

/**
 * Returns the category specified in a request, even if it is archived.
 * @throws DomainError not_found with the path
 */
export async function categoryNamed(
  reader: RecordReader,
  tenantId: string,
  id: string,
  path = 'categoryId',
): Promise<categories.PresentCategory> {
  const { state } = await reader.read(categories.category, tenantId, id);
  if (state.status === 'absent') throw notFoundAt(path, 'category');
  return state;
}

const nothing = z.object({});

export class CreateTransactionCategory extends command(categories.CreateTransactionCategory) {}
export class UpdateTransactionCategory extends command(categories.UpdateTransactionCategory) {}
export class ArchiveTransactionCategory extends command(nothing) {}
export class RestoreTransactionCategory extends command(nothing) {}

/**
 * Maximum depth of the tree. It limits the work of changing a parent, because the command reads all ancestors of the
 * new one.
 */
const MAX_DEPTH = 10;

/**
 * @throws DomainError not_found with path `parentId`; invalid if the category would become its own descendant or exceed
 * the maximum depth; conflict CATEGORY_ARCHIVED
 */
async function ensureParent(reader: RecordReader, { tenantId, id }: Target, parentId: string | null): Promise<void> {
  let above = parentId;
  for (let depth = 0; above !== null; depth += 1) {
    if (above === id) throw invalid([{ path: 'parentId', message: 'A category cannot be its own descendant.' }]);
    if (depth === MAX_DEPTH)
      throw invalid([{ path: 'parentId', message: `Categories can be nested at most ${MAX_DEPTH} levels deep.` }]);
    const parent = await categoryNamed(reader, tenantId, above, 'parentId');
    if (depth === 0 && parent.status === 'archived')
      throw conflict('CATEGORY_ARCHIVED', 'The parent category is archived. Restore it, or choose another one.');
    above = parent.parentId;
  }
}

/** @throws DomainError conflict CATEGORY_DIRECTION if a rule of the category could no longer match */
async function ensureRulesCanMatch(
  ledger: LedgerUse,
  { tenantId, id }: Target,
  direction: categories.CategoryDirection = 'BOTH',
): Promise<void> {
  if (direction === 'BOTH') return;
  const other = direction === 'IN' ? 'OUT' : 'IN';
  if (await ledger.hasRule(tenantId, id, other))
    throw conflict(
      'CATEGORY_DIRECTION',
      `A rule of the category applies only to transactions with direction ${other}. Change the rule first.`,
    );
}

export class CreateCategoryRule extends command(rules.CreateCategoryRule) {}
export class UpdateCategoryRule extends command(rules.UpdateCategoryRule) {}
export class SetCategoryRuleEnabled extends command(rules.ToggleRuleEnabled) {}
export class SetCategoryRulePriority extends command(rules.UpdateRulePriority) {}
export class DeleteCategoryRule extends command(z.object({})) {}

async function ensureCategory(
  reader: RecordReader,
  tenantId: string,
  { categoryId = '', direction = null }: rules.UpdateCategoryRule,
  isNew: boolean,
): Promise<void> {
  const found = await categoryNamed(reader, tenantId, categoryId);
  if (isNew && found.status === 'archived') throw conflict('CATEGORY_ARCHIVED', 'The category is archived.');
  rules.ensureCanMatch(direction, found);
}

async function ensureAccount(reader: RecordReader, tenantId: string, id: string): Promise<void> {
  const [{ state }, owner] = await Promise.all([
    reader.read(account, tenantId, id),
    reader.read(customer, tenantId, id),
  ]);
  if (state.status !== 'present' && owner.state.status !== 'present') throw notFoundAt('accountId', 'account');
}

/**
 * Checks a rule against the records to which it refers, and formats its amounts with the currency's number of decimals.
 * `known` is the rule before the update.
 * @throws DomainError not_found with the path; invalid for amounts; conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
async function checked<Input extends rules.UpdateCategoryRule>(
  reader: RecordReader,
  tenantId: string,
  input: Input,
  known?: rules.RuleDetails,
): Promise<Input> {
  const { categoryId, direction, accountId } = input;
  if (categoryId !== undefined || direction !== undefined)
    await ensureCategory(reader, tenantId, { ...known, ...input }, categoryId !== undefined);
  if (accountId !== undefined && accountId !== null) await ensureAccount(reader, tenantId, accountId);
  const { state } = await reader.read(tenant, PLATFORM_TENANT, tenantId);
  return { ...input, ...rules.amountsIn(presentTenant(state).currency, input) };
}

export const categoryCommandHandlers = [
  decidesWith(
    CreateTransactionCategory,
    [RecordReader],
    async (reader, { target, data }) => {
      await ensureParent(reader, target, data.parentId ?? null);
      return data;
    },
    categories.category,
    categories.createCategory,
  ),
  decidesWith(
    UpdateTransactionCategory,
    [RecordReader, LedgerUse],
    async (reader, ledger, { target, data }) => {
      const { state } = await reader.read(categories.category, target.tenantId, target.id);
      const { parentId, direction } = categories.presentCategory(state);
      // An unchanged parent or direction needs no further check.
      if (data.parentId !== undefined && data.parentId !== parentId) await ensureParent(reader, target, data.parentId);
      if (data.direction !== direction) await ensureRulesCanMatch(ledger, target, data.direction);
      return data;
    },
    categories.category,
    categories.updateCategory,
  ),
  decides(ArchiveTransactionCategory, categories.category, categories.archiveCategory),
  decides(RestoreTransactionCategory, categories.category, categories.restoreCategory),
  decidesWith(
    CreateCategoryRule,
    [RecordReader],
    async (reader, { target, data }) => ({
      ...(await checked(reader, target.tenantId, data)),
      source: 'MANUAL' as const,
    }),
    rules.categoryRule,
    rules.createCategoryRule,
  ),
  decidesWith(
    UpdateCategoryRule,
    [RecordReader],
    async (reader, { target, data }) => {
      const { state } = await reader.read(rules.categoryRule, target.tenantId, target.id);
      return checked(reader, target.tenantId, data, rules.presentRule(state));
    },
    rules.categoryRule,
    rules.updateCategoryRule,
  ),
  decides(SetCategoryRuleEnabled, rules.categoryRule, rules.updateCategoryRule),
  decides(SetCategoryRulePriority, rules.categoryRule, rules.updateCategoryRule),
  decides(DeleteCategoryRule, rules.categoryRule, rules.deleteCategoryRule),
];

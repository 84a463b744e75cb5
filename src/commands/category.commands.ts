import { z } from 'zod';
import {
  archiveCategory,
  category,
  CreateTransactionCategory as CreateInput,
  createCategory,
  presentCategory,
  restoreCategory,
  UpdateTransactionCategory as UpdateInput,
  updateCategory,
} from '../aggregates/category.aggregate.js';
import { command, decides, decidesWith, type Target } from '../eventsourcing/command.js';
import { conflict, invalid } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { categoryNamed } from './category-check.js';

const nothing = z.object({});

export class CreateTransactionCategory extends command(CreateInput) {}
export class UpdateTransactionCategory extends command(UpdateInput) {}
export class ArchiveTransactionCategory extends command(nothing) {}
export class RestoreTransactionCategory extends command(nothing) {}

/** Maximum tree depth. Each change of a parent walks the chain of ancestors. */
const MAX_DEPTH = 10;

/**
 * @throws DomainError not_found with path `parentId`; invalid if the category would become its own descendant or exceed
 * the maximum depth; conflict CATEGORY_ARCHIVED
 */
async function ensureParent(reader: RecordReader, { tenantId, id }: Target, parentId: string | null): Promise<void> {
  let above = parentId;
  for (let depth = 0; above !== null; depth += 1) {
    if (above === id) throw invalid([{ path: 'parentId', message: 'A category cannot lie below itself.' }]);
    if (depth === MAX_DEPTH)
      throw invalid([{ path: 'parentId', message: `Categories are nested at most ${MAX_DEPTH} deep.` }]);
    const parent = await categoryNamed(reader, tenantId, above, 'parentId');
    if (depth === 0 && parent.status === 'archived')
      throw conflict('CATEGORY_ARCHIVED', 'The parent category is archived. Restore it, or choose another.');
    above = parent.parentId;
  }
}

export const categoryCommandHandlers = [
  decidesWith(
    CreateTransactionCategory,
    [RecordReader],
    async (reader, { target, data }) => {
      await ensureParent(reader, target, data.parentId ?? null);
      return data;
    },
    category,
    createCategory,
  ),
  decidesWith(
    UpdateTransactionCategory,
    [RecordReader],
    async (reader, { target, data }) => {
      const { state } = await reader.read(category, target.tenantId, target.id);
      // An unchanged parent is not checked again.
      if (data.parentId !== undefined && data.parentId !== presentCategory(state).parentId)
        await ensureParent(reader, target, data.parentId);
      return data;
    },
    category,
    updateCategory,
  ),
  decides(ArchiveTransactionCategory, category, archiveCategory),
  decides(RestoreTransactionCategory, category, restoreCategory),
];

import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  archiveCategory,
  category,
  CreateTransactionCategory as CreateInput,
  createCategory,
  restoreCategory,
  UpdateTransactionCategory as UpdateInput,
  updateCategory,
} from '../aggregates/category.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, receiptOf, type Receipt, type Target } from '../platform/command.js';
import { invalid } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { categoryNamed } from './category-check.js';

const nothing = z.object({});

export class CreateTransactionCategory extends command(CreateInput) {}
export class UpdateTransactionCategory extends command(UpdateInput) {}
export class ArchiveTransactionCategory extends command(nothing) {}
export class RestoreTransactionCategory extends command(nothing) {}

/** Deeper trees are refused: nobody reads them, and a chain is walked for every change of a parent. */
const MAX_DEPTH = 10;

/** @throws DomainError not_found with `parentId` as its path; invalid where the category would lie below itself */
async function ensureParent(reader: RecordReader, { tenantId, id }: Target, parentId: string | null): Promise<void> {
  let above = parentId;
  for (let depth = 0; above !== null; depth += 1) {
    if (above === id) throw invalid([{ path: 'parentId', message: 'A category cannot lie below itself.' }]);
    if (depth === MAX_DEPTH)
      throw invalid([{ path: 'parentId', message: `Categories are nested at most ${MAX_DEPTH} deep.` }]);
    above = (await categoryNamed(reader, tenantId, above, 'parentId')).parentId;
  }
}

@CommandHandler(CreateTransactionCategory)
export class CreateTransactionCategoryHandler implements ICommandHandler<CreateTransactionCategory, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  async execute({ target, data }: CreateTransactionCategory): Promise<Receipt> {
    await ensureParent(this.reader, target, data.parentId ?? null);
    return receiptOf(await this.runner.execute(category, target, data, createCategory));
  }
}

@CommandHandler(UpdateTransactionCategory)
export class UpdateTransactionCategoryHandler implements ICommandHandler<UpdateTransactionCategory, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  async execute({ target, data }: UpdateTransactionCategory): Promise<Receipt> {
    await ensureParent(this.reader, target, data.parentId ?? null);
    return receiptOf(await this.runner.execute(category, target, data, updateCategory));
  }
}

export const categoryCommandHandlers = [
  CreateTransactionCategoryHandler,
  UpdateTransactionCategoryHandler,
  decides(ArchiveTransactionCategory, category, archiveCategory),
  decides(RestoreTransactionCategory, category, restoreCategory),
];

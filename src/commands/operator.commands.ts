import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  CreateOperator as CreateOperatorInput,
  createOperator,
  deleteOperator,
  operator,
} from '../aggregates/operator.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, type Receipt } from '../platform/command.js';
import { hashPassword } from '../platform/passwords.js';

export class CreateOperator extends command(CreateOperatorInput) {}
export class DeleteOperator extends command(z.strictObject({})) {}

@CommandHandler(CreateOperator)
export class CreateOperatorHandler implements ICommandHandler<CreateOperator, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target, data: { password, ...rest } }: CreateOperator): Promise<Receipt> {
    const passwordHash = await hashPassword(password);
    const made = await this.runner.execute(operator, target, { ...rest, passwordHash }, createOperator);
    return { id: made.id, revision: made.revision, position: made.position };
  }
}

export const operatorCommandHandlers = [CreateOperatorHandler, decides(DeleteOperator, operator, deleteOperator)];

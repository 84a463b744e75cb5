import { z } from 'zod';
import {
  CreateOperator as CreateOperatorInput,
  createOperator,
  deleteOperator,
  operator,
} from '../aggregates/operator.aggregate.js';
import { command, decides, decidesWith } from '../eventsourcing/command.js';
import { hashNewPassword } from './new-password.js';

export class CreateOperator extends command(CreateOperatorInput) {}
export class DeleteOperator extends command(z.strictObject({})) {}

export const operatorCommandHandlers = [
  decidesWith(
    CreateOperator,
    [],
    async ({ data: { password, ...rest } }) => ({ ...rest, passwordHash: await hashNewPassword(password) }),
    operator,
    createOperator,
  ),
  decides(DeleteOperator, operator, deleteOperator),
];

import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { z } from 'zod';
import type { Aggregate, Decision, DomainEvent } from './aggregate.js';
import { CommandRunner, type Target } from './command-runner.js';

export type { Target } from './command-runner.js';

/** What a command answers with: where the record is now, and the position to wait for in read models. */
export type Receipt = { readonly id: string; readonly revision: number; readonly position: number };

/** What of a command's outcome is answered. */
export const receiptOf = ({ id, revision, position }: Receipt): Receipt => ({ id, revision, position });

/** Base class for a command whose payload is `schema`: `class RenameBranch extends command(schema) {}`. */
export const command = <S extends z.ZodType, R = Receipt>(schema: S) =>
  class extends Command<R> {
    static readonly schema = schema;
    constructor(
      readonly target: Target,
      readonly data: z.output<S>,
    ) {
      super();
    }
  };

/** The handler of every command that needs nothing but its own stream. */
export function decides<Data, State, Event extends DomainEvent>(
  commandType: Type<Command<Receipt> & { target: Target; data: Data }>,
  aggregate: Aggregate<State, Event>,
  decide: Decision<State, Data, Event>,
): Type<ICommandHandler> {
  @CommandHandler(commandType)
  class DecisionHandler {
    constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

    async execute({ target, data }: { target: Target; data: Data }): Promise<Receipt> {
      return receiptOf(await this.runner.execute(aggregate, target, data, decide));
    }
  }
  return DecisionHandler;
}

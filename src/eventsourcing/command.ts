import type { Type } from '@nestjs/common';
import { Command, type ICommandHandler } from '@nestjs/cqrs';
import type { z } from 'zod';
import type { Aggregate, Decision, DomainEvent } from './aggregate.js';
import { CommandRunner, type Target } from './command-runner.js';
import { commandHandlerOf, type Tokens } from './handler.js';

export type { Target } from './command-runner.js';

/** Result of a command: the record's revision, and the position that read models must reach to include the change. */
export type Receipt = { readonly id: string; readonly revision: number; readonly position: number };

/** Reduces a command's outcome to its receipt. */
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

/** Like `command`, for a command whose rules depend on the caller. */
export const commandBy =
  <By>() =>
  <S extends z.ZodType, R = Receipt>(schema: S) =>
    class extends command<S, R>(schema) {
      constructor(
        target: Target,
        data: z.output<S>,
        readonly by: By,
      ) {
        super(target, data);
      }
    };

type Targeted = Command<Receipt> & { readonly target: Target };

/**
 * Creates the handler of a command on one stream. `prepare` receives the injected values, followed by the command. It
 * checks the records to which the command refers, and returns the input for the decision.
 */
export const decidesWith = <C extends Targeted, Data, State, Event extends DomainEvent, D extends readonly unknown[]>(
  type: Type<C>,
  tokens: readonly [...Tokens<D>],
  prepare: (...given: [...D, C]) => Data | Promise<Data>,
  aggregate: Aggregate<State, Event>,
  decide: Decision<State, Data, Event>,
): Type<ICommandHandler> =>
  commandHandlerOf(type, [CommandRunner, ...tokens], async ([runner, ...given], received) => {
    const data = await prepare(...(given as unknown as D), received);
    return receiptOf(await (runner as CommandRunner).execute(aggregate, received.target, data, decide));
  });

/** Creates the handler of a command that needs only the target's stream. */
export const decides = <Data, State, Event extends DomainEvent>(
  type: Type<Targeted & { readonly data: Data }>,
  aggregate: Aggregate<State, Event>,
  decide: Decision<State, Data, Event>,
): Type<ICommandHandler> => decidesWith(type, [], ({ data }) => data, aggregate, decide);

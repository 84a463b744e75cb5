import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Token } from '../ports/token.js';

/**
 * Injection tokens for the leading parameters of a handler function. A class injects its instance, and a token injects
 * its value.
 */
export type Tokens<D extends readonly unknown[]> = {
  readonly [I in keyof D]: (abstract new (...given: never[]) => D[I]) | Token<D[I]>;
};

/** Creates a provider class whose `execute` method calls `run` with the injected values and the message. */
function handlerOf<M extends object>(
  message: Type<M>,
  tokens: readonly unknown[],
  run: (given: readonly unknown[], message: M) => unknown,
) {
  class Handler {
    private readonly given: readonly unknown[];
    constructor(...given: readonly unknown[]) {
      this.given = given;
    }
    execute(received: M): unknown {
      return run(this.given, received);
    }
  }
  for (const [index, token] of tokens.entries()) Inject(token as symbol)(Handler, undefined, index);
  Object.defineProperty(Handler, 'name', { value: `${message.name}Handler` });
  return Handler;
}

export function commandHandlerOf<C extends object>(
  command: Type<C>,
  tokens: readonly unknown[],
  run: (given: readonly unknown[], command: C) => Promise<unknown>,
): Type<ICommandHandler> {
  const Handler = handlerOf(command, tokens, run);
  CommandHandler(command)(Handler);
  return Handler as Type<ICommandHandler>;
}

/**
 * Base class of a command without a target: `class Logout extends commandOf<Receipt, [principal: UserPrincipal]>() {}`.
 */
export const commandOf = <R, const A extends readonly unknown[]>() =>
  class extends Command<R> {
    readonly args: A;
    constructor(...args: A) {
      super();
      this.args = args;
    }
  };

type ResultOf<C> = C extends Command<infer R> ? R : never;

/** Creates the handler of a command. `run` receives the injected values, followed by the command. */
export function handles<C extends Command<unknown>, D extends readonly unknown[]>(
  command: Type<C>,
  tokens: readonly [...Tokens<D>],
  run: (...given: [...D, C]) => Promise<ResultOf<C>>,
): Type<ICommandHandler> {
  return commandHandlerOf(command, tokens, (given, received) => run(...(given as unknown as D), received));
}

/** Base class of a query: `class GetRole extends query<RoleDetail, [scope: Scope, id: string]>() {}`. */
export const query = <R, const A extends readonly unknown[] = []>() =>
  class extends Query<R> {
    readonly args: A;
    constructor(...args: A) {
      super();
      this.args = args;
    }
  };

/** Creates the handler of a query. `run` receives the injected values, followed by the query's arguments. */
export function answers<R, A extends readonly unknown[], D extends readonly unknown[]>(
  query: Type<Query<R> & { readonly args: A }>,
  tokens: readonly [...Tokens<D>],
  run: (...given: [...D, ...A]) => Promise<R>,
): Type<IQueryHandler> {
  const Handler = handlerOf(query, tokens, (given, { args }) => run(...(given as unknown as D), ...args));
  QueryHandler(query)(Handler);
  return Handler as Type<IQueryHandler>;
}

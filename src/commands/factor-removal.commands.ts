import { type Authority, ensureMayChangeUser, type RolePermissions } from '../aggregates/authority.js';
import { type FactorsRemoval, RemoveFactors } from '../aggregates/credentials.js';
import { factors, removeAllFactors } from '../aggregates/factor.aggregate.js';
import { operator, removeOperatorFactors } from '../aggregates/operator.aggregate.js';
import { presentUser, removeUserFactors, user, type User, type UserEvent } from '../aggregates/user.aggregate.js';
import { CommandRunner, type Executed, type Target } from '../eventsourcing/command-runner.js';
import { commandBy, type Receipt, receiptOf } from '../eventsourcing/command.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { standingOf, userWithRoles } from './user.commands.js';

type Person = { readonly userId: string };

/** Removes all of another user's second factors, for example because the user has lost them. */
export class RemoveUserFactors extends commandBy<Authority & Person>()(RemoveFactors) {}
/** Removes all of another operator's second factors, for example because the operator has lost them. */
export class RemoveOperatorFactors extends commandBy<Person>()(RemoveFactors) {}

/**
 * Rejects the caller's own account. Otherwise, callers could bypass the rules for their own factors, such as
 * LAST_FACTOR.
 * @throws DomainError conflict
 */
function ensureNotOwn({ id }: Target, { userId }: Person): void {
  if (id === userId)
    throw conflict('OWN_FACTORS', 'Remove your own factors in your account, with DELETE /api/auth/factors/{id}.');
}

type Removal = FactorsRemoval & { readonly by: Authority; readonly roles: RolePermissions };

function removeUserFactorsBy(state: User, { by, roles, ...removal }: Removal): UserEvent[] {
  const standing = standingOf(presentUser(state));
  ensureMayChangeUser(by, { before: standing, after: standing }, roles);
  return removeUserFactors(state, removal);
}

/**
 * Ends the account's sessions with `end`, then removes the factors. If the second step fails, the request can be
 * retried, because the account still has factors.
 */
async function remove(
  runner: CommandRunner,
  reader: RecordReader,
  target: Target,
  end: (count: number) => Promise<Executed>,
): Promise<Receipt> {
  const { state } = await reader.read(factors, target.tenantId, target.id);
  const ended = await end(state.factors.length);
  const { position } = await runner.execute(factors, target, {}, removeAllFactors);
  return { ...receiptOf(ended), position };
}

export const factorRemovalCommandHandlers = [
  handles(
    RemoveUserFactors,
    [CommandRunner, RecordReader],
    async (runner, reader, { target, data: { reason }, by }) => {
      ensureNotOwn(target, by);
      const { roles } = await userWithRoles(reader, target);
      return remove(runner, reader, target, (count) =>
        runner.execute(user, target, { by, roles, reason, count }, removeUserFactorsBy),
      );
    },
  ),
  handles(
    RemoveOperatorFactors,
    [CommandRunner, RecordReader],
    async (runner, reader, { target, data: { reason }, by }) => {
      ensureNotOwn(target, by);
      return remove(runner, reader, target, (count) =>
        runner.execute(operator, target, { reason, count }, removeOperatorFactors),
      );
    },
  ),
];

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ensureMayChangeUser, type Authority } from '../aggregates/authority.js';
import { acceptInvitation, inviteUser, presentUser, user, wrongCode } from '../aggregates/user.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { receiptOf, type Receipt } from '../eventsourcing/command.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { OidcTokens } from '../security/oidc.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { hashOfSecret } from '../security/refresh-tokens.js';
import { UUID_PATTERN } from '../ports/uuid.js';
import { CLOCK } from '../ports/time.js';
import { OidcIdentities } from './oidc-identities.js';
import { userWithRoles } from './user-references.js';

const LIFETIME_MS = 7 * 24 * 3_600_000;
const CODE = new RegExp(`^(${UUID_PATTERN})\\.(${UUID_PATTERN})\\.([\\w-]{43})$`);

export type Invitation = {
  /** Returned only once: `<tenantId>.<userId>.<secret>`. */
  readonly code: string;
  readonly expiresAt: string;
};

/** Creates the one-time code with which a user binds their identity at the OpenID provider. */
export class InviteUser extends commandOf<
  { readonly invitation: Invitation; readonly position: number },
  [target: Target, by: Authority]
>() {}

export const BindIdentityInput = z.strictObject({ code: z.string().max(200) }).meta({ id: 'BindIdentityDto' });

/** Binds the identity proved by an OpenID provider's token to the invited user. */
export class BindIdentity extends commandOf<Receipt, [token: string, data: z.output<typeof BindIdentityInput>]>() {}

const notProvided = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', "Send a token of the OpenID provider as the request's bearer.");

export const invitationCommandHandlers = [
  // The inviter could sign in as the user, so the rule for setting a password applies.
  handles(InviteUser, [CommandRunner, RecordReader, CLOCK], async (runner, reader, clock, { args: [target, by] }) => {
    const { roles } = await userWithRoles(reader, target);
    const secret = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock.nowMs() + LIFETIME_MS).toISOString();
    const invitation = { codeHash: hashOfSecret(secret), expiresAt };
    const { position } = await runner.execute(user, target, invitation, (current, data) => {
      const { role, roleIds } = presentUser(current);
      ensureMayChangeUser(by, { before: { role, roleIds }, after: { role, roleIds } }, roles);
      return inviteUser(current, data);
    });
    return { invitation: { code: `${target.tenantId}.${target.id}.${secret}`, expiresAt }, position };
  }),
  handles(
    BindIdentity,
    [CommandRunner, OidcTokens, OidcIdentities],
    async (runner, tokens, identities, { args: [token, data] }) => {
      if (!tokens.isFor(token)) throw notProvided();
      const { issuer, subject } = await tokens.verify(token);
      const [, tenantId, id, secret] = CODE.exec(data.code) ?? [];
      if (tenantId === undefined || id === undefined || secret === undefined) throw wrongCode();
      const identity = { issuer, subject };
      const bound = await identities.boundTo(identity);
      if (bound.some((other) => other.tenantId !== tenantId || other.id !== id))
        throw conflict('IDENTITY_TAKEN', 'This identity is bound to another user. Remove that user first.');
      const accepted = { codeHash: hashOfSecret(secret), identity };
      return inContext({ ...currentContext(), tenantId }, async () =>
        receiptOf(await runner.execute(user, { tenantId, id }, accepted, acceptInvitation)),
      );
    },
  ),
];

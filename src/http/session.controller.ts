import { Body, Controller, Inject } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Login, LoginInput } from '../commands/login.commands.js';
import { ChangeOwnPassword, ChangePasswordInput } from '../commands/session-password.commands.js';
import { Logout, RefreshInput, RefreshSession } from '../commands/session.commands.js';
import { AccessTokens } from '../platform/access-tokens.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { GetMe, type Me } from '../queries/session.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { named, recordId } from './shapes.js';

const TokensDto = named(
  'TokensDto',
  z.object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Lifetime of the access token, seconds.' }),
  }),
);

const text = z.string().nullable();
const MeDto = named(
  'MeDto',
  z.object({
    user: z.object({
      id: recordId,
      fullName: z.string(),
      email: z.string(),
      phone: text,
      role: text.meta({ description: 'OWNER, ADMIN or USER; null for operators.' }),
      roleIds: z.array(recordId),
      isActive: z.boolean(),
      branchId: text,
      branchIds: z.array(recordId),
    }),
    tenant: z
      .object({ id: recordId, name: z.string(), slug: z.string(), currency: z.string(), timeZone: z.string() })
      .nullable()
      .meta({ description: 'Null for operators.' }),
    permissions: z.array(z.string()),
  }),
);

const JwksDto = named('JwksDto', z.object({ keys: z.array(z.object({ kid: z.string() }).loose()) }));

const TOO_MANY = 'RATE_LIMITED: too many failures; Retry-After says when to try again.';
const tag = 'Authentication';

@Controller()
export class SessionController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/auth/login',
    who: 'public',
    tag,
    summary: 'Sign in with e-mail and password',
    body: LoginInput,
    answers: { status: 200, shape: 'envelope', schema: TokensDto, position: 'told', also: { 429: TOO_MANY } },
  })
  async login(@Body() body: z.output<typeof LoginInput>): Promise<Answer> {
    const { tokens, position } = await this.commands.execute(new Login(body));
    return answer(tokens, { position });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/auth/refresh',
    who: 'public',
    tag,
    summary: 'Get new tokens for a refresh token, which is then spent',
    description:
      'A spent token gets the same answer again within 10 s. Later it is taken for stolen: the session ends, and the ' +
      'answer is 401.',
    body: RefreshInput,
    answers: { status: 200, shape: 'envelope', schema: TokensDto, position: 'told' },
  })
  async refresh(@Body() body: z.output<typeof RefreshInput>): Promise<Answer> {
    const { tokens, position } = await this.commands.execute(new RefreshSession(body));
    return answer(tokens, { position });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/auth/logout',
    who: 'any',
    tag,
    summary: 'End this session',
    answers: { status: 200, shape: 'command' },
  })
  logout(@Caller() caller: UserPrincipal | OperatorPrincipal): Promise<Answer> {
    return this.gateway.send(new Logout(caller));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/auth/me',
    who: 'any',
    tag,
    summary: 'Who is signed in, in which tenant, with which permissions',
    answers: { status: 200, shape: 'envelope', schema: MeDto },
  })
  me(@Caller() caller: UserPrincipal | OperatorPrincipal): Promise<Me> {
    return this.queries.execute(new GetMe(caller));
  }

  @Endpoint({
    method: 'POST',
    path: '/api/auth/change-password',
    who: 'any',
    tag,
    summary: "Change one's own password; all other sessions end",
    description: 'A wrong current password is 400 at `currentPassword`, and counts as a failed sign-in does.',
    body: ChangePasswordInput,
    answers: { status: 200, shape: 'command', also: { 429: TOO_MANY } },
  })
  changePassword(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @Body() body: z.output<typeof ChangePasswordInput>,
  ): Promise<Answer> {
    return this.gateway.send(new ChangeOwnPassword(caller, body));
  }

  @Endpoint({
    method: 'GET',
    path: '/.well-known/jwks.json',
    who: 'public',
    tag,
    summary: 'The public keys of access tokens (RFC 7517)',
    answers: { status: 200, shape: 'plain', schema: JwksDto },
  })
  async keys(): Promise<Answer> {
    return answer(await this.tokens.published(), { headers: { 'cache-control': 'public, max-age=60' } });
  }
}

import { z } from 'zod';
import { BindIdentity, BindIdentityInput } from '../commands/user.commands.js';
import {
  ChangeOwnPassword,
  ChangePasswordInput,
  Login,
  LoginInput,
  Logout,
  RefreshInput,
  RefreshSession,
} from '../commands/session.commands.js';
import { AccessTokens } from '../security/access-tokens.js';
import { GetMe } from '../queries/user.queries.js';
import { answer } from './answer.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';
import { FactorRequiredDto, TokensDto, TOO_MANY_SIGN_INS } from './session-shapes.js';
import { named, recordId } from './shapes.js';

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
      .meta({ description: 'Tenant of the user; null for operators.' }),
    permissions: z.array(z.string()),
  }),
);

const JwksDto = named('JwksDto', z.object({ keys: z.array(z.object({ kid: z.string() }).loose()) }));

const tokensAnswer = { ...valueOf(TokensDto), position: 'told' } as const;
const anyone = routesAt('/api/auth', { who: 'public', tag: 'Authentication' });
const signedIn = routesAt('/api/auth', { who: 'any', tag: 'Authentication', withoutFactor: true });

export const SessionController = controllerOf(
  anyone.command(
    'Sign in with e-mail and password',
    {
      path: '/login',
      description: 'If the account has a second factor, complete the sign-in with POST /api/auth/login/factor.',
      body: LoginInput,
      answers: {
        ...valueOf(z.union([TokensDto, FactorRequiredDto])),
        position: 'told',
        also: { 429: TOO_MANY_SIGN_INS },
      },
    },
    ({ body, request }) => new Login(body, request.host.toLowerCase()),
    ({ tokens }) => tokens,
  ),
  anyone.command(
    'Exchange a refresh token for new tokens',
    {
      path: '/refresh',
      description:
        'Reuse of a refresh token within 10 seconds returns the same response. Later reuse is treated as theft: the ' +
        'session ends and the response is 401.',
      body: RefreshInput,
      answers: tokensAnswer,
    },
    ({ body }) => new RefreshSession(body),
    ({ tokens }) => tokens,
  ),
  signedIn.command(
    'End the current session',
    { path: '/logout', answers: receipt(200) },
    ({ caller }) => new Logout(caller),
  ),
  signedIn.query(
    'Get the signed-in user, including the tenant and permissions',
    { path: '/me', answers: valueOf(MeDto) },
    ({ caller }) => new GetMe(caller),
  ),
  signedIn.command(
    "Change the caller's password and end all other sessions",
    {
      path: '/change-password',
      description:
        'A wrong current password returns 400 with an error for `currentPassword`, and is limited like failed sign-ins.',
      body: ChangePasswordInput,
      answers: { ...receipt(200), also: { 429: TOO_MANY_SIGN_INS } },
    },
    ({ caller, body }) => new ChangeOwnPassword(caller, body),
  ),
  anyone.command(
    'Bind an identity from the OpenID provider to an invited user',
    {
      path: '/oidc/bind',
      description:
        "Send the provider's access token in `Authorization`. Later requests with tokens for this identity are " +
        'authenticated as that user.',
      body: BindIdentityInput,
      requestHeaders: {
        Authorization: {
          description: '`Bearer`, followed by an access token from the OpenID provider.',
          required: true,
        },
      },
      answers: receipt(200),
    },
    ({ bearerToken, body }) => new BindIdentity(bearerToken, body),
  ),
  routesAt('/.well-known/jwks.json', { who: 'public', tag: 'Authentication' }).route(
    'Get the public keys that verify access tokens (RFC 7517)',
    { answers: { status: 200, shape: 'plain', schema: JwksDto } },
    async (_call, services) =>
      answer(await services.get(AccessTokens).published(), { headers: { 'cache-control': 'public, max-age=60' } }),
  ),
);

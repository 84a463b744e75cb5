import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { factorProof } from '../commands/factor-proofs.js';
import { Login, type LoggedIn, LoginInput, Logout, RefreshSession } from '../commands/session.commands.js';
import { SESSION_RULES, type SessionRules } from '../commands/session-tokens.js';
import { FactorLoginInput, LoginWithFactor } from '../commands/step-up.commands.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { answer, Answer } from './answer.js';
import { controllerOf, receipt, routesAt, type Services, valueOf } from './routes.js';
import { FactorRequiredDto, TOO_MANY_SIGN_INS, WITH_FACTOR } from './session-shapes.js';
import { named } from './shapes.js';

/** Path of this controller's routes. Over plain HTTP, it is also the only path to which browsers send the cookie. */
const CONSOLE_SESSION_PATH = '/console/session';

const ConsoleSessionDto = named(
  'ConsoleSessionDto',
  z.object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Lifetime of the access token in seconds.' }),
  }),
);

const COOKIE = 'The refresh token is stored in an `HttpOnly` cookie with `SameSite=Strict`.';
const SET_COOKIE = { 'Set-Cookie': { description: 'Sets or removes the refresh token cookie.', required: true } };

const { email, password, tenant } = LoginInput.shape;
/** The request body for both sign-in steps. Each step accepts only its own fields. */
const SignInInput = z
  .strictObject({
    email: email.exactOptional(),
    password: password.exactOptional(),
    tenant,
    factorToken: FactorLoginInput.shape.factorToken.exactOptional(),
    ...factorProof,
  })
  .transform((body, { issues }) => {
    const step = 'factorToken' in body ? FactorLoginInput.safeParse(body) : LoginInput.safeParse(body);
    if (step.success) return step.data;
    for (const issue of step.error.issues) issues.push({ ...issue, input: body } as z.core.$ZodRawIssue);
    return z.NEVER;
  })
  .meta({ id: 'ConsoleSignInDto' });

const shared = { tag: 'Console', sameOrigin: true } as const;
const routes = routesAt(CONSOLE_SESSION_PATH, { ...shared, who: 'public' });

/**
 * Browser sessions. Unlike /api/auth, these routes store the refresh token in a cookie that scripts cannot read (ADR
 * 0029).
 */
export const ConsoleSessionController = controllerOf(
  routes.route(
    'Sign in to the console with e-mail and password, then with a second factor if the account has one',
    {
      method: 'POST',
      description:
        `First send the password, then the \`factorToken\` from the response together with a proof. ${WITH_FACTOR} ` +
        COOKIE,
      body: SignInInput,
      answers: {
        ...valueOf(z.union([ConsoleSessionDto, FactorRequiredDto])),
        position: 'told',
        also: { 429: TOO_MANY_SIGN_INS },
        headers: { 'Set-Cookie': { ...SET_COOKIE['Set-Cookie'], required: false } },
      },
    },
    async ({ body, request }, services) => {
      const host = request.host.toLowerCase();
      const signIn = 'factorToken' in body ? new LoginWithFactor(body) : new Login(body, host);
      const outcome: LoggedIn = await services.commands.execute(signIn);
      return kept(outcome, request, services);
    },
  ),
  routes.route(
    "Get a new access token for this browser's session",
    {
      method: 'POST',
      path: '/refresh',
      description:
        `Returns null if nobody is signed in or the session has ended. ${COOKIE} As with POST /api/auth/refresh, ` +
        `each refresh token can be used only once.`,
      body: z.strictObject({}),
      answers: { ...valueOf(ConsoleSessionDto.nullable()), position: 'told', headers: SET_COOKIE },
    },
    ({ request }, services) =>
      services.commands.execute(new RefreshSession({ refreshToken: refreshTokenOf(request) })).then(
        (renewed) => kept(renewed, request, services),
        (error: unknown) => forgotten(error, request),
      ),
  ),
  routesAt(CONSOLE_SESSION_PATH, { ...shared, who: 'any' }).route(
    "End this browser's session",
    { method: 'DELETE', ifMatch: false, withoutFactor: true, answers: { ...receipt(200), headers: SET_COOKIE } },
    async ({ caller, request }, services) => {
      const { body, options } = await services.send(new Logout(caller));
      return answer(body, { ...options, headers: cookieFor(request) });
    },
  ),
);

/** Stores the refresh token in the browser. If a second factor is still required, there is no refresh token yet. */
function kept({ tokens, position }: LoggedIn, request: FastifyRequest, services: Services): Answer {
  if (!('refreshToken' in tokens)) return answer(tokens, { position });
  const { refreshToken, ...rest } = tokens;
  const { maxMs } = services.get<SessionRules>(SESSION_RULES).lifetime;
  return answer(rest, { position, headers: cookieFor(request, refreshToken, maxMs / 1_000) });
}

/** The console calls this route to find out whether a session exists, so a missing session is not an error. */
function forgotten(error: unknown, request: FastifyRequest): Answer {
  if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') throw error;
  return answer(null, { position: 0, headers: cookieFor(request) });
}

/**
 * The `__Host-` prefix prevents other hosts of the domain from setting the cookie (RFC 6265bis, 4.1.3.2). It requires
 * HTTPS.
 */
const SECURE_NAME = '__Host-kontor-console';
const PLAIN_NAME = 'kontor-console';
/** The format of refresh tokens. */
const VALUE = /^[\w.-]+$/;

/** Returns the header that stores a refresh token in the browser or, without a token, removes it. */
function cookieFor(
  { protocol }: FastifyRequest,
  refreshToken = '',
  maxAgeSeconds = 0,
): Readonly<Record<string, string>> {
  const [name, ...scope] =
    protocol === 'https' ? [SECURE_NAME, 'Path=/', 'Secure'] : [PLAIN_NAME, `Path=${CONSOLE_SESSION_PATH}`];
  const maxAge = Math.floor(maxAgeSeconds);
  return {
    'set-cookie': [`${name}=${refreshToken}`, ...scope, `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict'].join('; '),
  };
}

/**
 * Returns the refresh token in the cookie, or an empty string if nobody is signed in. Over plain HTTP, which is
 * intended for local use, the cookie lacks the Secure attribute, because not every browser would otherwise store it. If
 * the browser sends the cookie twice, a third party has set one of the two, so neither is used.
 */
function refreshTokenOf({ headers, protocol }: FastifyRequest): string {
  const prefix = `${protocol === 'https' ? SECURE_NAME : PLAIN_NAME}=`;
  const sent = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  const [own, ...others] = sent.filter((cookie) => cookie.startsWith(prefix));
  const value = own?.slice(prefix.length) ?? '';
  return others.length === 0 && VALUE.test(value) ? value : '';
}

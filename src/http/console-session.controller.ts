import { Body, Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Login, LoginInput } from '../commands/login.commands.js';
import type { SignedIn } from '../commands/session-tokens.js';
import { Logout, RefreshSession } from '../commands/session.commands.js';
import { DomainError } from '../platform/domain-error.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { answer, Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { CallingBrowser, CONSOLE_SESSION_PATH, type Browser } from './console-cookie.js';
import { Caller, Endpoint } from './endpoint.js';
import { named } from './shapes.js';

const ConsoleSessionDto = named(
  'ConsoleSessionDto',
  z.object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Lifetime of the access token, seconds.' }),
  }),
);

const nothing = z.strictObject({});
const COOKIE = 'The refresh token goes into an HttpOnly cookie, which this path alone is sent.';
const SET_COOKIE = { 'Set-Cookie': { description: 'The refresh token, or its end.', required: true } };
const TOO_MANY = 'RATE_LIMITED: too many failures; Retry-After says when to try again.';

const declared = { tag: 'Console', sameOrigin: true } as const;

/** The sessions of browsers: those of /api/auth, with the refresh token kept where no script can read it (ADR 0029). */
@Controller()
export class ConsoleSessionController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
  ) {}

  @Endpoint({
    ...declared,
    method: 'POST',
    path: CONSOLE_SESSION_PATH,
    who: 'public',
    summary: 'Sign this browser in with e-mail and password',
    description: COOKIE,
    body: LoginInput,
    answers: {
      status: 200,
      shape: 'envelope',
      schema: ConsoleSessionDto,
      position: 'told',
      also: { 429: TOO_MANY },
      headers: SET_COOKIE,
    },
  })
  async signIn(@Body() body: z.output<typeof LoginInput>, @CallingBrowser() browser: Browser): Promise<Answer> {
    return kept(await this.commands.execute(new Login(body)), browser);
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: `${CONSOLE_SESSION_PATH}/refresh`,
    who: 'public',
    summary: 'Get a new access token for the session of this browser',
    description: `Null where nobody is signed in, or where the session has ended. ${COOKIE} Each is spent by its use, as POST /api/auth/refresh has it.`,
    body: nothing,
    answers: {
      status: 200,
      shape: 'envelope',
      schema: ConsoleSessionDto.nullable(),
      position: 'told',
      headers: SET_COOKIE,
    },
  })
  refresh(@Body() _body: unknown, @CallingBrowser() browser: Browser): Promise<Answer> {
    const { refreshToken = '' } = browser;
    return this.commands.execute(new RefreshSession({ refreshToken })).then(
      (renewed) => kept(renewed, browser),
      (error: unknown) => forgotten(error, browser),
    );
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path: CONSOLE_SESSION_PATH,
    who: 'any',
    summary: 'End the session of this browser',
    ifMatch: false,
    answers: { status: 200, shape: 'command', headers: SET_COOKIE },
  })
  async signOut(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @CallingBrowser() browser: Browser,
  ): Promise<Answer> {
    const { body, options } = await this.gateway.send(new Logout(caller));
    return answer(body, { ...options, headers: browser.forget() });
  }
}

const kept = ({ tokens: { refreshToken, ...rest }, position }: SignedIn, browser: Browser): Answer =>
  answer(rest, { position, headers: browser.keep(refreshToken) });

/** A session that has ended is no fault of a browser that asks whether there is one. */
function forgotten(error: unknown, browser: Browser): Answer {
  if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') throw error;
  return answer(null, { position: 0, headers: browser.forget() });
}

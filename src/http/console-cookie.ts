import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SESSION_MS } from '../commands/session-tokens.js';

/** Where the cookie goes: to the routes of the console's session, and to nothing else. */
export const CONSOLE_SESSION_PATH = '/console/session';

const NAME = 'kontor-console';
/** A refresh token's own form: letters, digits, dots, dashes and underscores. */
const COOKIE = new RegExp(`(?:^|; *)${NAME}=([\\w.-]+)`);
const MAX_AGE_SECONDS = SESSION_MS / 1_000;

/** The browser that asks, with what it keeps of its session where no script can read it. */
export class Browser {
  constructor(
    /** The refresh token that it sent; undefined where nobody is signed in. */
    readonly refreshToken: string | undefined,
    private readonly isSecure: boolean,
  ) {}

  /** The header by which it keeps a refresh token. */
  keep(refreshToken: string): Readonly<Record<string, string>> {
    return this.cookie(refreshToken, MAX_AGE_SECONDS);
  }

  /** The header by which it forgets. */
  forget(): Readonly<Record<string, string>> {
    return this.cookie('', 0);
  }

  private cookie(value: string, maxAge: number): Readonly<Record<string, string>> {
    const parts = [
      `${NAME}=${value}`,
      `Path=${CONSOLE_SESSION_PATH}`,
      `Max-Age=${maxAge}`,
      'HttpOnly',
      'SameSite=Strict',
    ];
    return { 'set-cookie': [...parts, ...(this.isSecure ? ['Secure'] : [])].join('; ') };
  }
}

/** Over plain HTTP, which only a machine of one's own should speak, a Secure cookie would not be kept. */
export const browserOf = ({ headers, protocol }: Pick<FastifyRequest, 'headers' | 'protocol'>): Browser =>
  new Browser(COOKIE.exec(headers.cookie ?? '')?.[1], protocol === 'https');

/** The browser that sent the request. */
export const CallingBrowser = createParamDecorator((_: unknown, context) =>
  browserOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

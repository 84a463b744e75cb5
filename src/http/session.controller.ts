import { Body, Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Login, LoginInput, type Tokens } from '../commands/session.commands.js';
import { Endpoint } from './endpoint.js';
import { named } from './shapes.js';

const TokensDto = named(
  'TokensDto',
  z.object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Lifetime of the access token, seconds.' }),
  }),
);

@Controller()
export class SessionController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Endpoint({
    method: 'POST',
    path: '/api/auth/login',
    who: 'public',
    tag: 'Authentication',
    summary: 'Sign in with e-mail and password',
    body: LoginInput,
    answers: { status: 200, shape: 'envelope', schema: TokensDto },
  })
  login(@Body() body: z.output<typeof LoginInput>): Promise<Tokens> {
    return this.commands.execute(new Login(body));
  }
}

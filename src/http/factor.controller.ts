import { z } from 'zod';
import {
  AddFactor,
  AddFactorInput,
  ConfirmFactor,
  ConfirmFactorInput,
  RemoveFactor,
} from '../commands/factor.commands.js';
import { EndOwnSession, FactorLoginInput, LoginWithFactor, StepUp, StepUpInput } from '../commands/step-up.commands.js';
import { ListFactors, ListSessions } from '../queries/session.queries.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';
import { FactorRequiredDto, TokensDto, TOO_MANY_SIGN_INS, WITH_FACTOR } from './session-shapes.js';
import { instantOut, named, recordId } from './shapes.js';

const FactorDto = named(
  'FactorDto',
  z.object({
    id: recordId,
    type: z.enum(['TOTP', 'PASSKEY']),
    createdAt: instantOut,
    lastUsedAt: instantOut.nullable(),
  }),
);
const NewFactorDto = named(
  'NewFactorDto',
  z.object({
    id: recordId,
    secret: z.string().optional().meta({ description: 'For TOTP: the secret in base32. Returned only once.' }),
    uri: z
      .string()
      .optional()
      .meta({ description: 'For TOTP: the `otpauth` URI with the secret, to display as a QR code.' }),
    options: z
      .looseObject({})
      .optional()
      .meta({ description: 'For PASSKEY: options for `navigator.credentials.create`, as JSON.' }),
  }),
);
const RecoveryCodesDto = named(
  'RecoveryCodesDto',
  z.object({
    recoveryCodes: z
      .array(z.string())
      .meta({ description: 'Recovery codes, each valid for one use. Returned only once.' }),
  }),
);
const SteppedUpDto = named('SteppedUpDto', z.object({ verifiedUntil: instantOut }));
const SessionDto = named(
  'SessionDto',
  z.object({
    id: recordId,
    device: z.string().nullable().meta({ description: '`User-Agent` of the last sign-in, refresh or step-up.' }),
    address: z.string().nullable().meta({ description: 'Client address of the last sign-in, refresh or step-up.' }),
    createdAt: instantOut,
    lastUsedAt: instantOut.meta({ description: 'Time of the last sign-in, refresh or step-up.' }),
    expiresAt: instantOut,
    isCurrent: z.boolean(),
  }),
);

const also = { 429: TOO_MANY_SIGN_INS };
const told = { position: 'told' } as const;
const own = { who: 'any', tag: 'Authentication', withoutFactor: true, ifMatch: false } as const;
const auth = routesAt('/api/auth', own);
const factors = routesAt('/api/auth/factors', { ...own, stepUp: true });
const host = ({ host: name }: { readonly host: string }): string => name.toLowerCase();

/** Second factors, step-up and the caller's own sessions (ADR 0075). */
export const FactorController = controllerOf(
  auth.query(
    "List the caller's second factors, oldest first",
    { path: '/factors', answers: valueOf(z.array(FactorDto)) },
    ({ caller }) => new ListFactors(caller),
  ),
  factors.command(
    'Start adding an authenticator app or a passkey',
    {
      description:
        'The factor takes effect when you confirm it. You must confirm it within 10 minutes. Another request ' +
        'replaces an unconfirmed factor.',
      body: AddFactorInput,
      creates: { showsSecret: true },
      answers: { ...valueOf(NewFactorDto), status: 201, position: 'awaited' },
    },
    ({ caller, id, body, request }) => new AddFactor(caller, { ...body, id, host: host(request) }),
    ({ position: _, ...added }) => added,
  ),
  factors.command(
    'Confirm a new factor with its first code or its credential, and get ten new recovery codes',
    {
      path: '/:id/confirm',
      description: 'Earlier recovery codes become invalid. The code cannot be used again to sign in.',
      body: ConfirmFactorInput,
      answers: { ...valueOf(RecoveryCodesDto), position: 'awaited' },
    },
    ({ caller, id, body }) => new ConfirmFactor(caller, id, body),
    ({ recoveryCodes }) => ({ recoveryCodes }),
  ),
  factors.command(
    'Remove a second factor',
    { method: 'DELETE', path: '/:id', description: 'Removing the last factor invalidates the recovery codes.' },
    ({ caller, id }) => new RemoveFactor(caller, id),
  ),
  routesAt('/api/auth', { who: 'public', tag: 'Authentication' }).command(
    'Complete a sign-in with a second factor',
    {
      path: '/login/factor',
      description: WITH_FACTOR,
      body: FactorLoginInput,
      answers: { ...valueOf(TokensDto), ...told, also },
    },
    ({ body }) => new LoginWithFactor(body),
    ({ tokens }) => tokens,
  ),
  auth.command(
    "Verify the caller's identity again before an operation that requires a step-up",
    {
      path: '/step-up',
      description:
        'If the request contains no proof, the response lists the accepted methods and the passkey options. A valid ' +
        'proof verifies the session for 10 minutes. If the account has no factor, send `password`. An invalid proof ' +
        'returns 400.',
      body: StepUpInput,
      answers: { ...valueOf(z.union([SteppedUpDto, FactorRequiredDto])), ...told, also },
    },
    ({ caller, body, request }) => new StepUp(caller, body, host(request)),
    ({ outcome }) => outcome,
  ),
  auth.query(
    "List up to 100 of the caller's open sessions, most recently used first",
    { path: '/sessions', answers: valueOf(z.array(SessionDto)) },
    ({ caller }) => new ListSessions(caller),
  ),
  auth.command(
    "End one of the caller's sessions",
    {
      method: 'DELETE',
      path: '/sessions/:id',
      description: "The session's tokens stop working within a second.",
      answers: receipt(200),
    },
    ({ caller, id }) => new EndOwnSession(caller, id),
  ),
);

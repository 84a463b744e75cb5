import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  createIntegrationKey,
  CreateIntegrationKey as CreateIntegrationKeyInput,
  formatIntegrationKey,
  integrationKey,
  type IntegrationKey,
  recordedIntegrationKey,
  type RecordedIntegrationKey,
  revokeIntegrationKey,
  rotateIntegrationKey,
  RotateIntegrationKey as RotateInput,
  updateIntegrationKey,
  UpdateIntegrationKey as UpdateInput,
} from '../aggregates/integration-key.aggregate.js';
import { secretShown } from '../aggregates/request-key.aggregate.js';
import { CommandRunner, type Executed } from '../eventsourcing/command-runner.js';
import { command, commandBy, decides, decidesWith, type Target } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { CLOCK } from '../ports/time.js';
import type { OperatorPrincipal } from '../security/principal.js';
import { isRecent } from '../security/step-up.js';

/** A key as returned after creation and rotation. */
export type IssuedKey = Pick<RecordedIntegrationKey, 'name' | 'sourceId' | 'rateLimit' | 'expiresAt'> & {
  readonly id: string;
  /** The complete header value. It is returned only once, and only its hash is stored. */
  readonly key: string;
  readonly position: number;
};

export class CreateIntegrationKey extends command<typeof CreateIntegrationKeyInput, IssuedKey>(
  CreateIntegrationKeyInput,
) {}
const Nothing = z.strictObject({});
export class RotateIntegrationKey extends command<typeof RotateInput, IssuedKey>(RotateInput) {}
export class RevokeIntegrationKey extends command(Nothing) {}
/** Only a recently verified operator can raise the rate limit. */
export class UpdateIntegrationKey extends commandBy<Pick<OperatorPrincipal, 'proof'>>()(UpdateInput) {}

function newSecret(): { readonly secret: string; readonly secretHash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretHash: hash('sha256', secret, 'base64url') };
}

function issued({ tenantId, id }: Target, { state, position }: Executed<IntegrationKey>, secret: string): IssuedKey {
  const { name, sourceId, rateLimit, expiresAt } = recordedIntegrationKey(state);
  const key = formatIntegrationKey({ tenantId, keyId: id, secret });
  return { id, name, sourceId, rateLimit, expiresAt, key, position };
}

export const integrationKeyCommandHandlers = [
  handles(CreateIntegrationKey, [CommandRunner], async (runner, { target, data }) => {
    const { secret, secretHash } = newSecret();
    const made = await runner.execute(integrationKey, target, { ...data, secretHash }, createIntegrationKey);
    // An earlier attempt at this request created the key, and its secret cannot be recovered.
    if (made.events.length === 0) throw secretShown(target.id);
    return issued(target, made, secret);
  }),
  handles(RotateIntegrationKey, [CommandRunner], async (runner, { target, data }) => {
    const { secret, secretHash } = newSecret();
    const rotated = await runner.execute(integrationKey, target, { ...data, secretHash }, rotateIntegrationKey);
    return issued(target, rotated, secret);
  }),
  decides(RevokeIntegrationKey, integrationKey, revokeIntegrationKey),
  decidesWith(
    UpdateIntegrationKey,
    [CLOCK],
    (clock, { data, by }) => ({ ...data, mayRaise: isRecent(by.proof, clock.nowMs()) }),
    integrationKey,
    updateIntegrationKey,
  ),
];

import { createHash, randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { formatIntegrationKey } from '../aggregates/integration-key-format.js';
import {
  CreateIntegrationKey as CreateIntegrationKeyInput,
  createIntegrationKey,
  integrationKey,
  recordedIntegrationKey,
  revokeIntegrationKey,
  rotateIntegrationKey,
  SetIntegrationKeyRateLimit as SetRateLimitInput,
  setIntegrationKeyRateLimit,
  type IntegrationKey,
  type RecordedIntegrationKey,
} from '../aggregates/integration-key.aggregate.js';
import { CommandRunner, type Executed } from '../platform/command-runner.js';
import { command, decides, type Target } from '../platform/command.js';

/** A key as its maker gets it. */
export type IssuedKey = Pick<RecordedIntegrationKey, 'name' | 'sourceId' | 'rateLimit'> & {
  readonly id: string;
  /** The header's whole value: shown this once, stored hashed. */
  readonly key: string;
  readonly position: number;
};

export class CreateIntegrationKey extends command<typeof CreateIntegrationKeyInput, IssuedKey>(
  CreateIntegrationKeyInput,
) {}
const Nothing = z.strictObject({});
export class RotateIntegrationKey extends command<typeof Nothing, IssuedKey>(Nothing) {}
export class RevokeIntegrationKey extends command(Nothing) {}
export class SetIntegrationKeyRateLimit extends command(SetRateLimitInput) {}

function newSecret(): { readonly secret: string; readonly secretHash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretHash: createHash('sha256').update(secret).digest('base64url') };
}

function issued({ tenantId, id }: Target, { state, position }: Executed<IntegrationKey>, secret: string): IssuedKey {
  const { name, sourceId, rateLimit } = recordedIntegrationKey(state);
  const key = formatIntegrationKey({ tenantId, keyId: id, secret });
  return { id, name, sourceId, rateLimit, key, position };
}

@CommandHandler(CreateIntegrationKey)
export class CreateIntegrationKeyHandler implements ICommandHandler<CreateIntegrationKey, IssuedKey> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target, data }: CreateIntegrationKey): Promise<IssuedKey> {
    const { secret, secretHash } = newSecret();
    const made = await this.runner.execute(integrationKey, target, { ...data, secretHash }, createIntegrationKey);
    return issued(target, made, secret);
  }
}

@CommandHandler(RotateIntegrationKey)
export class RotateIntegrationKeyHandler implements ICommandHandler<RotateIntegrationKey, IssuedKey> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target }: RotateIntegrationKey): Promise<IssuedKey> {
    const { secret, secretHash } = newSecret();
    const rotated = await this.runner.execute(integrationKey, target, { secretHash }, rotateIntegrationKey);
    return issued(target, rotated, secret);
  }
}

export const integrationKeyCommandHandlers = [
  CreateIntegrationKeyHandler,
  RotateIntegrationKeyHandler,
  decides(RevokeIntegrationKey, integrationKey, revokeIntegrationKey),
  decides(SetIntegrationKeyRateLimit, integrationKey, setIntegrationKeyRateLimit),
];

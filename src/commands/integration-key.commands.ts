import { createHash, randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { formatIntegrationKey } from '../aggregates/integration-key-format.js';
import {
  CreateIntegrationKey as CreateIntegrationKeyInput,
  createIntegrationKey,
  integrationKey,
  SetIntegrationKeyRateLimit as SetRateLimitInput,
  setIntegrationKeyRateLimit,
} from '../aggregates/integration-key.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, type Receipt } from '../platform/command.js';

/** The receipt with the header's whole value: shown this once, stored hashed. */
export type IssuedKey = Receipt & { readonly key: string };

export class CreateIntegrationKey extends command<typeof CreateIntegrationKeyInput, IssuedKey>(
  CreateIntegrationKeyInput,
) {}
export class SetIntegrationKeyRateLimit extends command(SetRateLimitInput) {}

@CommandHandler(CreateIntegrationKey)
export class CreateIntegrationKeyHandler implements ICommandHandler<CreateIntegrationKey, IssuedKey> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target, data }: CreateIntegrationKey): Promise<IssuedKey> {
    const secret = randomBytes(32).toString('base64url');
    const secretHash = createHash('sha256').update(secret).digest('base64url');
    const made = await this.runner.execute(integrationKey, target, { ...data, secretHash }, createIntegrationKey);
    const key = formatIntegrationKey({ tenantId: target.tenantId, keyId: target.id, secret });
    return { id: made.id, revision: made.revision, position: made.position, key };
  }
}

export const integrationKeyCommandHandlers = [
  CreateIntegrationKeyHandler,
  decides(SetIntegrationKeyRateLimit, integrationKey, setIntegrationKeyRateLimit),
];

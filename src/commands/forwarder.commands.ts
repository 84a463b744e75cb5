import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { FORWARDER, forwarder, rewindForwarder, RewindStart } from '../aggregates/forwarder.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, receiptOf, type Receipt } from '../platform/command.js';
import { notFound } from '../platform/domain-error.js';

export class RewindForwarder extends command(RewindStart) {}

@CommandHandler(RewindForwarder)
export class RewindForwarderHandler implements ICommandHandler<RewindForwarder, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ target, data }: RewindForwarder): Promise<Receipt> {
    if (target.id !== FORWARDER) throw notFound('forwarder');
    return receiptOf(await this.runner.execute(forwarder, target, data, rewindForwarder));
  }
}

export const forwarderCommandHandlers = [RewindForwarderHandler];

import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { CommandRunner } from '../platform/command-runner.js';
import { command, receiptOf, type Receipt } from '../platform/command.js';
import { notFound } from '../platform/domain-error.js';
import { cancelRebuild, projectionAggregate, requestRebuild } from '../platform/projection-control.js';
import { ProjectionStatus } from '../platform/projection-status.js';
import { IDS, type Ids } from '../ports/time.js';

export class RebuildProjection extends command(z.object({})) {}
export class CancelProjectionRebuild extends command(z.object({})) {}

@CommandHandler(RebuildProjection)
export class RebuildProjectionHandler implements ICommandHandler<RebuildProjection, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(ProjectionStatus) private readonly projections: ProjectionStatus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ target }: RebuildProjection): Promise<Receipt> {
    const version = this.projections.versionOf(target.id);
    if (version === undefined) throw notFound('projection');
    const data = { rebuildId: this.ids.next(), version };
    return receiptOf(await this.runner.execute(projectionAggregate, target, data, requestRebuild));
  }
}

@CommandHandler(CancelProjectionRebuild)
export class CancelProjectionRebuildHandler implements ICommandHandler<CancelProjectionRebuild, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(ProjectionStatus) private readonly projections: ProjectionStatus,
  ) {}

  async execute({ target, data }: CancelProjectionRebuild): Promise<Receipt> {
    if (this.projections.versionOf(target.id) === undefined) throw notFound('projection');
    return receiptOf(await this.runner.execute(projectionAggregate, target, data, cancelRebuild));
  }
}

export const projectionCommandHandlers = [RebuildProjectionHandler, CancelProjectionRebuildHandler];

import { z } from 'zod';
import { command, decidesWith, type Target } from '../eventsourcing/command.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { cancelRebuild, projectionAggregate, requestRebuild } from '../projecting/projection-control.js';
import { ProjectionStatus } from '../projecting/projection-status.js';
import { IDS } from '../ports/time.js';

export class RebuildProjection extends command(z.object({})) {}
export class CancelProjectionRebuild extends command(z.object({})) {}

function versionOf(projections: ProjectionStatus, { target }: { readonly target: Target }): number {
  const version = projections.versionOf(target.id);
  if (version === undefined) throw notFound('projection');
  return version;
}

export const projectionCommandHandlers = [
  decidesWith(
    RebuildProjection,
    [ProjectionStatus, IDS],
    (projections, ids, received) => ({ version: versionOf(projections, received), rebuildId: ids.next() }),
    projectionAggregate,
    requestRebuild,
  ),
  decidesWith(
    CancelProjectionRebuild,
    [ProjectionStatus],
    (projections, received) => ({ version: versionOf(projections, received) }),
    projectionAggregate,
    cancelRebuild,
  ),
];

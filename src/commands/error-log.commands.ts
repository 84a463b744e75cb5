import { z } from 'zod';
import { errorLog, resolveErrors } from '../aggregates/error-log.aggregate.js';
import { command, decides } from '../eventsourcing/command.js';

export class ResolveErrorLog extends command(z.object({})) {}

export const errorLogCommandHandlers = [decides(ResolveErrorLog, errorLog, resolveErrors)];

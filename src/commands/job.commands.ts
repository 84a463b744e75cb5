import { z } from 'zod';
import { JOB_DIRECTORY } from '../queries/job-directory.js';
import { job, startJob, type ExecutionLog } from '../aggregates/job.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { currentContext } from '../eventsourcing/context.js';
import { invalid, notFoundAt } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { faultsOf } from '../eventsourcing/faults.js';

const TriggerInput = z.strictObject({ parameters: z.exactOptional(z.unknown()) });

/** The receipt of the job's stream, with the new execution. */
export type TriggerReceipt = Receipt & { readonly execution: ExecutionLog };

/** Starts a run of the target job. The receipt's `id` is the job's name. */
export class TriggerJob extends command<typeof TriggerInput, TriggerReceipt>(TriggerInput) {}

/** Any process records the run; the job leader executes it. */
export const jobCommandHandlers = [
  handles(TriggerJob, [CommandRunner, JOB_DIRECTORY], async (runner, directory, { target, data }) => {
    const known = directory.jobs.get(target.id);
    if (!known) throw notFoundAt('jobName', 'job');
    const { parameters = {} } = data;
    const checked = known.parameters.safeParse(parameters);
    if (!checked.success) throw invalid(faultsOf(checked.error, ['parameters']));
    const { actor, commandId: executionId } = currentContext();
    const triggeredBy = actor.kind === 'operator' ? actor.userId : null;
    const start = { executionId, trigger: 'MANUAL', triggeredBy, scheduledFor: null, parameters } as const;
    const started = await runner.execute(job, target, start, startJob);
    if (started.events.length === 0 || !started.state.last) throw new Error(`The run ${executionId} was not started`);
    return { ...receiptOf(started), execution: started.state.last };
  }),
];

import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { JOB_DIRECTORY, type JobDirectory } from '../aggregates/job-directory.js';
import { job, startJob, type ExecutionLog } from '../aggregates/job.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt } from '../platform/command.js';
import { currentContext } from '../platform/context.js';
import { invalid, notFoundAt } from '../platform/domain-error.js';
import { faultsOf } from '../platform/faults.js';

const TriggerInput = z.strictObject({ parameters: z.exactOptional(z.unknown()) });

/** The receipt is that of the job's stream. */
export type TriggerReceipt = Receipt & { readonly execution: ExecutionLog };

/** Starts a run of the job that the target names; `id` of the receipt is the job's name. */
export class TriggerJob extends command<typeof TriggerInput, TriggerReceipt>(TriggerInput) {}

/** Whichever process was asked: the run is recorded here, and done where the jobs are led. */
@CommandHandler(TriggerJob)
export class TriggerJobHandler implements ICommandHandler<TriggerJob, TriggerReceipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(JOB_DIRECTORY) private readonly directory: JobDirectory,
  ) {}

  async execute({ target, data }: TriggerJob): Promise<TriggerReceipt> {
    const known = this.directory.jobs.get(target.id);
    if (!known) throw notFoundAt('jobName', 'job');
    const { parameters = {} } = data;
    const checked = known.parameters.safeParse(parameters);
    if (!checked.success) throw invalid(faultsOf(checked.error, ['parameters']));
    const { actor, commandId: executionId } = currentContext();
    const triggeredBy = actor.kind === 'operator' ? actor.userId : null;
    const start = { executionId, trigger: 'MANUAL', triggeredBy, scheduledFor: null, parameters } as const;
    const { id, revision, position, events, state } = await this.runner.execute(job, target, start, startJob);
    if (events.length === 0 || !state.last) throw new Error(`The run ${executionId} was not started`);
    return { id, revision, position, execution: state.last };
  }
}

export const jobCommandHandlers = [TriggerJobHandler];

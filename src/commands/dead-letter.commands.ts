import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { DEAD_LETTER_OFFICE, type DeadLetterOffice } from '../aggregates/dead-letter-office.js';
import {
  deadLetter,
  DiscardDeadLetter as DiscardInput,
  discardLetter,
  parkedLetter,
  settleReplay,
} from '../aggregates/dead-letter.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, decides, type Receipt } from '../platform/command.js';
import { RecordReader } from '../platform/record-reader.js';

/** The receipt, with what became of the letter: PARKED where it was refused again. */
export type ReplayReceipt = Receipt & { readonly status: 'PARKED' | 'REPLAYED' };

const Nothing = z.object({});
export class ReplayDeadLetter extends command<typeof Nothing, ReplayReceipt>(Nothing) {}
export class DiscardDeadLetter extends command(DiscardInput) {}

@CommandHandler(ReplayDeadLetter)
export class ReplayDeadLetterHandler implements ICommandHandler<ReplayDeadLetter, ReplayReceipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(DEAD_LETTER_OFFICE) private readonly office: DeadLetterOffice,
  ) {}

  async execute({ target }: ReplayDeadLetter): Promise<ReplayReceipt> {
    const { tenantId, id } = target;
    const letter = parkedLetter((await this.reader.read(deadLetter, tenantId, id)).state);
    const attempt = letter.attempts + 1;
    const failure = (await this.office.redeliver({ ...letter, id, tenantId }, attempt)) ?? null;
    const { revision, position } = await this.runner.execute(deadLetter, target, { attempt, failure }, settleReplay);
    return { id, revision, position, status: failure ? 'PARKED' : 'REPLAYED' };
  }
}

export const deadLetterCommandHandlers = [
  ReplayDeadLetterHandler,
  decides(DiscardDeadLetter, deadLetter, discardLetter),
];

import { z } from 'zod';
import { DEAD_LETTER_REPLAYER } from '../queries/dead-letter-replayer.js';
import {
  deadLetter,
  DiscardDeadLetter as DiscardInput,
  discardLetter,
  parkedLetter,
  settleReplay,
} from '../aggregates/dead-letter.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, decides, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';

/** The receipt with the letter's new status: PARKED if it failed again. */
export type ReplayReceipt = Receipt & { readonly status: 'PARKED' | 'REPLAYED' };

const Nothing = z.object({});
export class ReplayDeadLetter extends command<typeof Nothing, ReplayReceipt>(Nothing) {}
export class DiscardDeadLetter extends command(DiscardInput) {}

export const deadLetterCommandHandlers = [
  handles(
    ReplayDeadLetter,
    [CommandRunner, RecordReader, DEAD_LETTER_REPLAYER],
    async (runner, reader, replayer, { target }) => {
      const { tenantId, id } = target;
      const letter = parkedLetter((await reader.read(deadLetter, tenantId, id)).state);
      const attempt = letter.attempts + 1;
      const failure = (await replayer.redeliver({ ...letter, id, tenantId }, attempt)) ?? null;
      const done = await runner.execute(deadLetter, target, { attempt, failure }, settleReplay);
      return { ...receiptOf(done), status: failure ? ('PARKED' as const) : ('REPLAYED' as const) };
    },
  ),
  decides(DiscardDeadLetter, deadLetter, discardLetter),
];

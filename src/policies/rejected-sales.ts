import { Inject, Injectable } from '@nestjs/common';
import { notification, reportSubjects, type Report, type Subject } from '../aggregates/notification.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { acceptedSale, sale } from '../aggregates/sale.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { inReactionTo } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { hourOf, noticeId } from './notice-ids.js';

type Rejected = Recorded<Extract<SaleEvent, { type: 'SaleRejected' }>>;

/** Rejections reported together. `done` settles once they have been reported. */
type Batch = { readonly subjects: Subject[]; done: Promise<void> };

/** Maximum number of sales named in a notification. Additional sales are only counted. */
const MAX_NAMED_SALES = 20;
const MAX_NAME_LENGTH = 80;
/** Replaces the cause if the sales of a notification have different causes. */
const DIFFERENT_CAUSES = 'Each sale shows its own cause.';

const shortened = (name: string): string =>
  name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1)}…`;

/**
 * Reports rejected sales to the tenant's administrators. One notification for each reason and hour names the sales.
 * Sales rejected while a notification is being written are then added to it in a single write.
 */
@Injectable()
export class RejectedSales {
  private readonly queue = new KeyedQueue();
  private readonly waiting = new Map<string, Batch>();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  async report(event: Rejected): Promise<void> {
    const { tenantId, recordId, data } = event;
    // The caller of a retry sees the result in the response.
    if (data.attempts > 1) return;
    const { externalId } = acceptedSale((await this.reader.read(sale, tenantId, recordId)).state);
    const id = noticeId('sale-rejected', tenantId, data.code, hourOf(event));
    const subject = { id: recordId, name: externalId, cause: data.message };
    const open = this.waiting.get(id);
    if (open) {
      open.subjects.push(subject);
      return open.done;
    }
    const batch: Batch = { subjects: [subject], done: Promise.resolve() };
    this.waiting.set(id, batch);
    batch.done = this.queue.run(id, () => {
      this.waiting.delete(id);
      return this.send(event, id, batch.subjects);
    });
    return batch.done;
  }

  private async send(event: Rejected, id: string, subjects: readonly Subject[]): Promise<void> {
    const report: Report = {
      subjects,
      describe: (all) => contentOf(event.data, all),
      type: 'WARNING',
      audience: { kind: 'roles', roles: ['OWNER', 'ADMIN'] },
    };
    const target = { tenantId: event.tenantId, id };
    await inReactionTo(event, 'notification', () => this.runner.execute(notification, target, report, reportSubjects));
  }
}

/** Returns the cause of all rejections; undefined if the causes differ, or are not all known. */
const sharedCause = ([first, ...others]: readonly Subject[]): string | undefined =>
  others.every(({ cause }) => cause === first?.cause) ? first?.cause : undefined;

function outlookOf({ awaits }: Rejected['data'], isOne: boolean, isShared: boolean): string {
  if (awaits === undefined) return 'This cannot be resolved automatically. Correct the data where it was entered.';
  if (!isShared) return 'Each sale is booked as soon as its cause is removed.';
  return `${isOne ? 'The sale is' : 'The sales are'} booked as soon as the cause is removed.`;
}

/**
 * Returns the title, text and link of the notification about all rejections for one reason within one hour. Sales with
 * the same reason may have different causes, such as different branches.
 */
function contentOf(rejection: Rejected['data'], all: readonly Subject[]) {
  const { code } = rejection;
  const names = all.slice(0, MAX_NAMED_SALES).map(({ name }) => shortened(name));
  const more = all.length > names.length ? ` and ${all.length - names.length} more` : '';
  const [only, ...others] = all;
  const isOne = only !== undefined && others.length === 0;
  const cause = sharedCause(all);
  const outlook = outlookOf(rejection, isOne, cause !== undefined);
  return {
    title: isOne ? `The sale ${names[0] ?? ''} was rejected: ${code}` : `${all.length} sales were rejected: ${code}`,
    body: `${cause ?? DIFFERENT_CAUSES} Rejected: ${names.join(', ')}${more}. ${outlook}`,
    link: isOne ? `/console/sales/${only.id}` : '/console/sales?status=REJECTED',
  };
}

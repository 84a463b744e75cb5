import { Inject, Injectable } from '@nestjs/common';
import { account, type AccountEvent } from '../aggregates/account.aggregate.js';
import type { AccountDefaultsEvent } from '../aggregates/account-defaults.aggregate.js';
import { branch, type BranchEvent } from '../aggregates/branch.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import {
  deadLetter,
  settleLetter,
  settleReplay,
  type DeadLetterEvent,
  type FiledLetter,
} from '../aggregates/dead-letter.aggregate.js';
import { causes } from '../aggregates/rejection-causes.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { inLanes } from '../eventsourcing/in-lanes.js';
import { inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import { WaitingSales } from '../queries/dead-letter.queries.js';
import { BookingPolicy } from './booking.policy.js';

type Cause = Extract<
  BranchEvent | AccountEvent | AccountDefaultsEvent | CustomerEvent | SaleEvent,
  {
    type:
      | `Branch${'Created' | 'Reactivated'}`
      | `Account${'Created' | 'Updated' | 'Reactivated' | 'Restored'}`
      | `Default${'AccountSet' | 'AccountsSeeded'}`
      | `Customer${'Updated' | 'MadeActive' | 'Deleted'}`
      | 'AwaitedSaleBooked';
  }
>;
const LETTERS = ['DeadLetterParked', 'DeadLetterReplayFailed'] as const;
type Accepted = Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>;
type Handled = Cause | Extract<DeadLetterEvent, { type: (typeof LETTERS)[number] }>;

/** Number of sales booked concurrently. */
const AT_ONCE = 8;
/** Number of sales loaded at a time. */
const PART = 64;

/**
 * Books rejected sales once the causes of their rejections are gone, and resolves their dead letters. Resolves a letter
 * only after it has booked the sale. After a crash in between, the redelivered event still finds the letter parked.
 *
 * A cause may disappear after the failed attempt, but before the letter is parked. Therefore, the policy retries every
 * letter once after it is parked, and once after each failed replay (docs/adr/0074).
 */
@Injectable()
export class HealingPolicy implements Policy {
  readonly name = 'healing';
  readonly types = [...Object.keys(causesOf), ...LETTERS];

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(EventCatalogue) private readonly catalogue: EventCatalogue,
    @Inject(WaitingSales) private readonly waiting: WaitingSales,
    @Inject(BookingPolicy) private readonly booking: BookingPolicy,
  ) {}

  async react(event: Recorded<Handled>, stopping: AbortSignal): Promise<void> {
    if (event.type === 'DeadLetterParked' || event.type === 'DeadLetterReplayFailed')
      return this.healAll([event.recordId], event, stopping);
    for (const cause of await causesIn(event, this.reader)) {
      const ids = await this.waiting.lettersFor(cause, event);
      for (let at = 0; at < ids.length; at += PART) await this.healAll(ids.slice(at, at + PART), event, stopping);
    }
  }

  /** A sale and its returns and cancellations are booked in the order of their letters. */
  private async healAll(ids: readonly string[], event: Recorded, stopping: AbortSignal): Promise<void> {
    const { tenantId } = event;
    const queue = new KeyedQueue();
    const found = await Promise.all(ids.map((id) => this.waitingSale({ tenantId, id })));
    const waiting = found.flatMap((one) => one ?? []);
    await inLanes(AT_ONCE, waiting, ({ target, sale }) =>
      queue.run(originalOf(sale), async () => {
        stopping.throwIfAborted();
        await this.heal(target, sale, event);
      }),
    );
  }

  private async heal(target: Target, sale: Accepted, event: Recorded): Promise<void> {
    const { state } = await this.reader.read(deadLetter, target.tenantId, target.id);
    if (state.status !== 'PARKED') return;
    const attempt = state.attempts + 1;
    const failure = await this.booking.retry(sale, { attempts: attempt, isQuiet: true });
    if (failure && isKnown(state, failure)) return;
    await inReactionTo(event, this.name, () =>
      failure
        ? this.runner.execute(deadLetter, target, { attempt, failure }, settleReplay).catch(unlessResolved)
        : this.runner.execute(deadLetter, target, {}, settleLetter),
    );
  }

  /** Returns the sale of a parked letter, or undefined if the letter is resolved or is not about a sale. */
  private async waitingSale(target: Target): Promise<{ target: Target; sale: Accepted } | undefined> {
    const { state } = await this.reader.read(deadLetter, target.tenantId, target.id);
    if (state.status !== 'PARKED' || state.origin !== 'SALE') return undefined;
    const accepted = await eventAt(this.events, state.stream, state.revision ?? 0);
    if (accepted?.type !== 'SaleAccepted') throw new Error(`${state.stream} does not contain the sale`);
    return { target, sale: this.catalogue.decode(accepted) as Accepted };
  }
}

const originalOf = ({ data: { sourceId, externalId, relatedExternalId } }: Accepted): string =>
  `${sourceId} ${relatedExternalId ?? externalId}`;

type Causes<E extends Recorded = Recorded> = (
  event: E,
  reader: RecordReader,
) => readonly string[] | Promise<readonly string[]>;

const ofBranch: Causes = async ({ tenantId, recordId }, reader) => {
  const { state } = await reader.read(branch, tenantId, recordId);
  return state.status === 'active' ? [causes.branch(state.code)] : [];
};

const ofAccount: Causes = async ({ tenantId, recordId }, reader) => {
  const { state } = await reader.read(account, tenantId, recordId);
  if (state.status !== 'present' || !state.isActive) return [];
  return [...(state.code === null ? [] : [causes.account(state.code)]), causes.defaultAccount(state.type)];
};

const ofCustomer: Causes = ({ recordId }) => [causes.customer(recordId)];

/** Returns the rejection causes that an event may have removed. */
const causesOf: { readonly [T in Cause['type']]: Causes<Recorded<Extract<Cause, { type: T }>>> } = {
  BranchCreated: ofBranch,
  BranchReactivated: ofBranch,
  AccountCreated: ofAccount,
  AccountUpdated: ofAccount,
  AccountReactivated: ofAccount,
  AccountRestored: ofAccount,
  DefaultAccountSet: ({ data }) => [causes.defaultAccount(data.type)],
  DefaultAccountsSeeded: ({ data }) => Object.keys(data.defaults).map(causes.defaultAccount),
  // If the customer's code, tax number or e-mail address has changed, the sale may no longer belong to this customer.
  CustomerUpdated: ({ recordId, data: { changes } }) =>
    IDENTIFYING.some((field) => field in changes) ? [causes.customer(recordId)] : [],
  CustomerMadeActive: ofCustomer,
  CustomerDeleted: ofCustomer,
  AwaitedSaleBooked: ({ recordId }) => [causes.sale(recordId)],
};
const IDENTIFYING = ['code', 'taxNumber', 'email'];
const causesIn = (event: Recorded<Cause>, reader: RecordReader) => (causesOf[event.type] as Causes)(event, reader);

const isKnown = ({ reason, awaits }: FiledLetter, failure: { code: string; awaits?: string }): boolean =>
  reason.code === failure.code && awaits === failure.awaits;

/** Ignores the error if a concurrent replay has resolved the letter. */
function unlessResolved(error: unknown): void {
  if (!(error instanceof DomainError) || error.code !== 'ALREADY_RESOLVED') throw error;
}

import { Inject, Injectable } from '@nestjs/common';
import { account, type AccountEvent, restoreAccount } from '../aggregates/account.aggregate.js';
import { accountCodeClaims, customerCodeClaims } from '../aggregates/code-claims.js';
import { linkClaim } from '../aggregates/customer-keys.js';
import { customer, type CustomerEvent, restoreCustomer } from '../aggregates/customer.aggregate.js';
import type { Claim } from '../eventsourcing/aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { type Cause, inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import type { Led } from '../projecting/leadership.js';
import { DeletedRecords, LedgerUse } from '../queries/ledger-use.js';
import { watchModel } from './model-watch.js';

const MAX_ROUNDS = 10;
const TAKEN: readonly string[] = ['CUSTOMER_CODE_TAKEN', 'CUSTOMER_LINK_TAKEN', 'ACCOUNT_CODE_TAKEN'];

/**
 * Restores deleted records that have transactions, with the codes and links that are still free. Records that are not
 * deleted, or that the same cause has already restored, remain unchanged.
 */
@Injectable()
export class Restoring {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /** @throws errors from the command; a conflict over a code or link is thrown only after MAX_ROUNDS attempts */
  restore(kind: 'customer' | 'account', id: string, cause: Cause): Promise<void> {
    const target = { tenantId: cause.tenantId, id };
    return inReactionTo(cause, 'restoration', () =>
      this.untilNoneIsTaken(() =>
        kind === 'customer' ? this.restoreCustomer(target, cause.id) : this.restoreAccount(target, cause.id),
      ),
    );
  }

  private async restoreCustomer(target: Target, causedBy: string): Promise<void> {
    const { tenantId, id } = target;
    const { state, stream } = await this.reader.read(customer, tenantId, id);
    if (state.status !== 'deleted') return;
    const hasCode = state.code !== null && (await this.areFree(customerCodeClaims(tenantId, state.code), stream));
    const links = [];
    for (const link of state.links) if (await this.areFree([linkClaim(tenantId, link)], stream)) links.push(link);
    await this.runner.execute(
      customer,
      target,
      { causedBy, code: hasCode ? state.code : null, links },
      restoreCustomer,
    );
  }

  private async restoreAccount(target: Target, causedBy: string): Promise<void> {
    const { tenantId, id } = target;
    const { state, stream } = await this.reader.read(account, tenantId, id);
    if (state.status !== 'deleted') return;
    const hasCode = state.code !== null && (await this.areFree(accountCodeClaims(tenantId, state.code), stream));
    await this.runner.execute(account, target, { causedBy, code: hasCode ? state.code : null }, restoreAccount);
  }

  private async areFree(claims: readonly Claim[], stream: string): Promise<boolean> {
    const holders = await Promise.all(claims.map((claim) => this.claims.holder(claim)));
    return holders.every((holder) => holder === undefined || holder === stream);
  }

  /** Retries the restoration if another record takes a code or link between the check and the claim. */
  private async untilNoneIsTaken(restore: () => Promise<void>): Promise<void> {
    for (let round = 1; ; round += 1) {
      try {
        await restore();
        return;
      } catch (error) {
        const isTaken = error instanceof DomainError && TAKEN.includes(error.code);
        if (!isTaken || round === MAX_ROUNDS) throw error;
      }
    }
  }
}

type Deletion = Recorded<Extract<CustomerEvent | AccountEvent, { type: 'CustomerDeleted' | 'AccountDeleted' }>>;

/**
 * The commands reject the deletion of records with transactions, but a transaction may be appended between their check
 * and the deletion. This policy therefore checks again after the deletion. RestorationWatch covers later transactions.
 */
@Injectable()
export class RestorationPolicy implements Policy {
  readonly name = 'restoration';
  readonly types = ['CustomerDeleted', 'AccountDeleted'];

  constructor(
    @Inject(LedgerUse) private readonly ledger: Pick<LedgerUse, 'hasTransactions' | 'isInRule'>,
    @Inject(Restoring) private readonly restoring: Restoring,
  ) {}

  async react(event: Deletion): Promise<void> {
    const { type, tenantId, recordId } = event;
    if (!(await this.ledger.hasTransactions(tenantId, recordId))) return;
    await this.restoring.restore(type === 'CustomerDeleted' ? 'customer' : 'account', recordId, event);
  }
}

/**
 * Restores deleted records to which a transaction refers, even if the transaction was recorded long after the deletion.
 * A read model lists these records.
 */
@Injectable()
export class RestorationWatch {
  readonly name = 'restoration-watch';

  constructor(
    @Inject(DeletedRecords) private readonly records: DeletedRecords,
    @Inject(Restoring) private readonly restoring: Restoring,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): Led {
    return watchModel(this.clock, this.logger, {
      position: () => this.records.position,
      look: () => this.look(),
      unreadable: 'deleted records with transactions cannot be listed; retrying',
    });
  }

  /** Restores all records that are due. Returns false if any of them could not be restored. */
  async look(): Promise<boolean> {
    let isDone = true;
    for (const { kind, id, cause } of await this.records.reached()) {
      try {
        await this.restoring.restore(kind, id, cause);
      } catch (error) {
        isDone = false;
        this.logger.warn({ err: error, kind, id }, 'a deleted record with transactions could not be restored yet');
      }
    }
    return isDone;
  }
}

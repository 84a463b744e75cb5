import { Inject, Injectable } from '@nestjs/common';
import { account, accountCodeClaim, restoreAccount } from '../aggregates/account.aggregate.js';
import { codeClaim, linkClaim } from '../aggregates/customer-keys.js';
import { customer, restoreCustomer } from '../aggregates/customer.aggregate.js';
import type { Claim } from '../eventsourcing/aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { inReactionTo, type Cause } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';

const MAX_ROUNDS = 10;
const TAKEN: readonly string[] = ['CUSTOMER_CODE_TAKEN', 'CUSTOMER_LINK_TAKEN', 'ACCOUNT_CODE_TAKEN'];

/**
 * Restores deleted records that have transactions, with those of their codes and links that are still free. A record
 * that is not deleted, or that the same cause has already restored, stays unchanged.
 */
@Injectable()
export class Restoring {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /** @throws command errors. Conflicts over a code or link are thrown only after MAX_ROUNDS attempts. */
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
    const hasCode = state.code !== null && (await this.isFree(codeClaim(tenantId, state.code), stream));
    const links = [];
    for (const link of state.links) if (await this.isFree(linkClaim(tenantId, link), stream)) links.push(link);
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
    const hasCode = state.code !== null && (await this.isFree(accountCodeClaim(tenantId, state.code), stream));
    await this.runner.execute(account, target, { causedBy, code: hasCode ? state.code : null }, restoreAccount);
  }

  private async isFree(claim: Claim, stream: string): Promise<boolean> {
    const holder = await this.claims.holder(claim);
    return holder === undefined || holder === stream;
  }

  /** Another record may take a code or link between check and claim. If so, checks again. */
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

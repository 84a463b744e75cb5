import { Inject, Injectable } from '@nestjs/common';
import type { MatchableRule } from '../aggregates/category-rule-matching.js';
import type { Carrier } from '../aggregates/ledger-trail.js';
import type { StartedRuleApplication } from '../aggregates/rule-application.aggregate.js';
import { tenantScope } from '../ports/read-store.js';
import { customers } from '../projections/account.projection.js';
import { transactions } from '../projections/ledger.projection.js';
import { changeId, ruleApplicationChanges } from '../projections/rule-application.projection.js';
import { CaughtUp } from './caught-up.js';
import { ReadModels } from './query.js';
import { type ApplicationDates, AT_ONCE, inPeriod, RuleCandidates } from './rule-application.queries.js';

const WAIT_MS = 5_000;

/** A transaction and the stream that contains it. */
export type Place = { readonly id: string; readonly carrier: Carrier };

/** Finds, in batches, the transactions that a rule application will change or has changed. */
@Injectable()
export class RuleApplicationReader {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /** Number of transactions in a period. */
  count(tenantId: string, dates: ApplicationDates): Promise<number> {
    return this.models.count(transactions, tenantScope(tenantId), inPeriod(dates));
  }

  /**
   * Returns the next batch of work, read from models that contain every event up to and including `position`.
   * `changed`: transactions of the batch that an earlier attempt has already changed.
   */
  async candidates(
    { tenantId, id }: { readonly tenantId: string; readonly id: string },
    { after, replace, ...dates }: StartedRuleApplication,
    { rule, position }: { readonly rule: MatchableRule; readonly position: number },
  ) {
    const scope = tenantScope(tenantId);
    await this.caughtUp.withPosition([transactions, customers], position, WAIT_MS);
    const { documents, next } = await this.models.part(transactions, scope, {
      ...inPeriod(dates),
      limit: AT_ONCE,
      after,
    });
    const places: readonly Place[] = await new RuleCandidates(this.models, scope, rule, replace).among(documents);
    // After this wait, the model contains every change that is in the documents.
    await this.caughtUp.withHead(ruleApplicationChanges, WAIT_MS);
    const ids = documents.map((view) => changeId(id, view.id));
    const known = await this.models.getMany(ruleApplicationChanges, scope, ids);
    const changed = new Set([...known.values()].map(({ transactionId }) => transactionId));
    return { places, changed, examined: documents.length, next };
  }

  /** Returns the next batch of the changes made by a rule application. */
  async changes(
    { tenantId, id: applicationId }: { readonly tenantId: string; readonly id: string },
    { after }: StartedRuleApplication,
    position: number,
  ): Promise<{ readonly places: readonly Place[]; readonly next: string | undefined }> {
    await this.caughtUp.withPosition([ruleApplicationChanges], position, WAIT_MS);
    const query = { where: { applicationId }, limit: AT_ONCE, after };
    const { documents, next } = await this.models.part(ruleApplicationChanges, tenantScope(tenantId), query);
    return { places: documents.map(({ transactionId: id, carrier }) => ({ id, carrier })), next };
  }
}

import { account } from './aggregates/account.aggregate.js';
import { branch } from './aggregates/branch.aggregate.js';
import { customer } from './aggregates/customer.aggregate.js';
import { deadLetter } from './aggregates/dead-letter.aggregate.js';
import { idempotencyKey } from './aggregates/idempotency-key.aggregate.js';
import { integrationKey } from './aggregates/integration-key.aggregate.js';
import { numberSequence } from './aggregates/number-sequence.aggregate.js';
import { operator } from './aggregates/operator.aggregate.js';
import { sale } from './aggregates/sale.aggregate.js';
import { session } from './aggregates/session.aggregate.js';
import { tenant } from './aggregates/tenant.aggregate.js';
import { user } from './aggregates/user.aggregate.js';
import { claimAggregate } from './platform/claims.js';
import { EventCatalogue } from './platform/event-catalogue.js';

/** Every aggregate of the service. */
export const catalogue = new EventCatalogue([
  account,
  branch,
  claimAggregate,
  customer,
  deadLetter,
  idempotencyKey,
  integrationKey,
  numberSequence,
  operator,
  sale,
  session,
  tenant,
  user,
]);

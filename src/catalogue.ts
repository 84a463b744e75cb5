import { accountDefaults } from './aggregates/account-defaults.aggregate.js';
import { account } from './aggregates/account.aggregate.js';
import { branch } from './aggregates/branch.aggregate.js';
import { categoryRule } from './aggregates/category-rule.aggregate.js';
import { category } from './aggregates/category.aggregate.js';
import { customer } from './aggregates/customer.aggregate.js';
import { deadLetter } from './aggregates/dead-letter.aggregate.js';
import { errorLog } from './aggregates/error-log.aggregate.js';
import { forwarder } from './aggregates/forwarder.aggregate.js';
import { idempotencyKey } from './aggregates/idempotency-key.aggregate.js';
import { integrationKeyUse } from './aggregates/integration-key-use.aggregate.js';
import { integrationKey } from './aggregates/integration-key.aggregate.js';
import { job } from './aggregates/job.aggregate.js';
import { merchantChoices } from './aggregates/merchant-choices.aggregate.js';
import { notificationInbox } from './aggregates/notification-inbox.aggregate.js';
import { notification } from './aggregates/notification.aggregate.js';
import { numberSequence } from './aggregates/number-sequence.aggregate.js';
import { operator } from './aggregates/operator.aggregate.js';
import { pushDelivery } from './aggregates/push-delivery.aggregate.js';
import { pushSubscription } from './aggregates/push-subscription.aggregate.js';
import { role } from './aggregates/role.aggregate.js';
import { sale } from './aggregates/sale.aggregate.js';
import { session } from './aggregates/session.aggregate.js';
import { tenant } from './aggregates/tenant.aggregate.js';
import { transactionAggregate } from './aggregates/transaction.aggregate.js';
import { user } from './aggregates/user.aggregate.js';
import { claimAggregate } from './platform/claims.js';
import { membershipAggregate } from './platform/memberships.js';
import { projectionAggregate } from './platform/projection-control.js';
import { EventCatalogue } from './platform/event-catalogue.js';

/** Every aggregate of the service. */
export const catalogue = new EventCatalogue([
  account,
  accountDefaults,
  branch,
  claimAggregate,
  membershipAggregate,
  category,
  categoryRule,
  customer,
  deadLetter,
  errorLog,
  forwarder,
  idempotencyKey,
  integrationKey,
  integrationKeyUse,
  job,
  merchantChoices,
  notification,
  notificationInbox,
  numberSequence,
  operator,
  projectionAggregate,
  pushDelivery,
  pushSubscription,
  role,
  sale,
  session,
  tenant,
  transactionAggregate,
  user,
]);

import type { AnyProjection } from '../projecting/projection.js';
import { accountProjection } from './account.projection.js';
import { accountDayProjection, balanceProjection } from './balance.projection.js';
import { auditActorProjection } from './audit-actor.projection.js';
import { auditLogProjection } from './audit-log.projection.js';
import { branchProjection } from './branch.projection.js';
import { categoryRuleHitsProjection } from './category-rule-hits.projection.js';
import { categoryRuleSetProjection } from './category-rule-set.projection.js';
import { categoryRuleProjection } from './category-rule.projection.js';
import { categoryProjection } from './category.projection.js';
import { customerProjection } from './customer.projection.js';
import { deadLetterProjection } from './dead-letter.projection.js';
import { deletedRecordProjection } from './deleted-record.projection.js';
import { errorLogProjection } from './error-log.projection.js';
import {
  integrationKeyDirectoryProjection,
  integrationKeyProjection,
  integrationKeyUseProjection,
} from './integration-key.projection.js';
import { jobExecutionProjection } from './job-execution.projection.js';
import { notificationInboxProjection } from './notification-inbox.projection.js';
import { notificationProjection } from './notification.projection.js';
import { operatorProjection } from './operator.projection.js';
import { pushSubscriptionProjection, pushUseProjection } from './push-subscription.projection.js';
import { sessionProjection } from './session.projection.js';
import { tenantProjection } from './tenant.projection.js';
import { roleProjection } from './role.projection.js';
import { transactionProjection } from './transaction.projection.js';
import { userLoginProjection } from './user-login.projection.js';
import { userProjection } from './user.projection.js';

export const projections: readonly AnyProjection[] = [
  customerProjection,
  accountProjection,
  balanceProjection,
  accountDayProjection,
  auditActorProjection,
  auditLogProjection,
  transactionProjection,
  categoryProjection,
  categoryRuleProjection,
  categoryRuleSetProjection,
  categoryRuleHitsProjection,
  deletedRecordProjection,
  integrationKeyDirectoryProjection,
  integrationKeyProjection,
  integrationKeyUseProjection,
  branchProjection,
  deadLetterProjection,
  errorLogProjection,
  tenantProjection,
  notificationProjection,
  notificationInboxProjection,
  pushSubscriptionProjection,
  pushUseProjection,
  operatorProjection,
  jobExecutionProjection,
  sessionProjection,
  userProjection,
  userLoginProjection,
  roleProjection,
];

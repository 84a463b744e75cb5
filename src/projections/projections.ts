import type { AnyProjection } from '../projecting/projection.js';
import { accountProjection, customerProjection, deletedRecordProjection } from './account.projection.js';
import { ledgerEntryProjection } from './ledger-entry.projection.js';
import { accountDayProjection, transactionProjection } from './ledger.projection.js';
import { balanceProjection } from './balance.projection.js';
import { auditActorProjection, auditLogProjection } from './audit-log.projection.js';
import { lateEntriesProjection, periodProjection } from './period.projection.js';
import { branchProjection, tenantProjection } from './tenant.projection.js';
import { categoryRuleHitsProjection } from './category-rule-hits.projection.js';
import { categoryRuleSetProjection } from './category-rule-set.projection.js';
import { categoryRuleProjection } from './category-rule.projection.js';
import { categoryProjection } from './category.projection.js';
import { deadLetterProjection } from './dead-letter.projection.js';
import { errorLogProjection } from './error-log.projection.js';
import {
  integrationKeyDirectoryProjection,
  integrationKeyProjection,
  integrationKeyUseProjection,
} from './integration-key.projection.js';
import { jobExecutionProjection } from './job-execution.projection.js';
import { notificationInboxProjection } from './notification-inbox.projection.js';
import { notificationProjection } from './notification.projection.js';
import { saleProjection } from './sale.projection.js';
import {
  operatorProjection,
  roleProjection,
  sessionProjection,
  userLoginProjection,
  userProjection,
} from './user.projection.js';
import { webhookProjection } from './webhook.projection.js';
import { ruleApplicationChangeProjection, ruleApplicationProjection } from './rule-application.projection.js';
import { pushSubscriptionProjection, pushUseProjection } from './push-subscription.projection.js';

export const projections: readonly AnyProjection[] = [
  customerProjection,
  accountProjection,
  balanceProjection,
  accountDayProjection,
  ledgerEntryProjection,
  auditActorProjection,
  auditLogProjection,
  transactionProjection,
  saleProjection,
  categoryProjection,
  categoryRuleProjection,
  categoryRuleSetProjection,
  categoryRuleHitsProjection,
  ruleApplicationProjection,
  ruleApplicationChangeProjection,
  deletedRecordProjection,
  lateEntriesProjection,
  periodProjection,
  integrationKeyDirectoryProjection,
  integrationKeyProjection,
  integrationKeyUseProjection,
  webhookProjection,
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

// All query handlers and readers of read models, one line per file. src/app/app.module.ts registers every export.
export { accountQueryHandlers } from './account.queries.js';
export { testCategoryRulesHandler } from './category-rule-test.query.js';
export { auditLogQueryHandlers } from './audit-log.queries.js';
export { branchQueryHandlers } from './branch.queries.js';
export { Categorizer, categoryQueryHandlers } from './category.queries.js';
export { CaughtUp } from './query.js';
export { operationQueryHandlers, ParkedLetters } from './operation.queries.js';
export { DeletedRecords, LedgerUse } from './ledger-use.js';
export { errorLogQueryHandlers } from './error-log.queries.js';
export { integrationKeyQueryHandlers } from './integration-key.queries.js';
export { pushSubscriptionQueryHandlers } from './notification-recipients.js';
export { notificationQueryHandlers } from './notification.queries.js';
export { userQueryHandlers } from './user.queries.js';
export { transactionQueryHandlers } from './transaction.queries.js';
export { streamQueryHandlers } from './stream.queries.js';
export { periodQueryHandlers, UndetectedEntries } from './period.queries.js';
export { tenantQueryHandlers } from './tenant.queries.js';
export { GetTrialBalanceHandler } from './report.queries.js';

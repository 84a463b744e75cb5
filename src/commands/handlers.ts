// All command handlers and their shared services, one line per file. src/app/app.module.ts registers every export.
export { accountCommandHandlers } from './account.commands.js';
export { branchCommandHandlers } from './branch.commands.js';
export { categoryCommandHandlers } from './category.commands.js';
export { CustomerCodes, CustomerCreation, customerCommandHandlers } from './customer.commands.js';
export { operationCommandHandlers } from './operation.commands.js';
export { errorLogCommandHandlers } from './error-log.commands.js';
export { ErrorRecorder } from './error-recorder.js';
export { IntegrationKeyUses } from './integration-key-uses.js';
export { integrationKeyCommandHandlers } from './integration-key.commands.js';
export { userCommandHandlers } from './user.commands.js';
export { LoginFailures, LoginThrottle } from './login-throttle.js';
export { notificationCommandHandlers } from './notification.commands.js';
export { OidcIdentities, SessionAccounts } from './session-accounts.js';
export { roleCommandHandlers } from './role.commands.js';
export { SessionTokens } from './session-tokens.js';
export { sessionCommandHandlers } from './session.commands.js';
export { TenantSeeder, tenantCommandHandlers } from './tenant.commands.js';
export { transactionCommandHandlers } from './transaction.commands.js';

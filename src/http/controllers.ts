import { AuditLogController } from './audit-log.controller.js';
import { CacheController } from './cache.controller.js';
import { HealthController } from './health.controller.js';
import { BranchController } from './branch.controller.js';
import { AccountController } from './account.controller.js';
import { CategoryRuleController } from './category-rule.controller.js';
import { CategoryController } from './category.controller.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { CustomerController } from './customer.controller.js';
import { DeadLetterController } from './dead-letter.controller.js';
import { FactorController } from './factor.controller.js';
import { ForwarderController } from './forwarder.controller.js';
import { ErrorLogController } from './error-log.controller.js';
import { IntegrityController } from './integrity.controller.js';
import { IntegrationKeyController } from './integration-key.controller.js';
import { IntegrationEventController } from './integration-event.controller.js';
import { JobController } from './job.controller.js';
import { NotificationController } from './notification.controller.js';
import { OperatorController } from './operator.controller.js';
import { ProjectionController } from './projection.controller.js';
import { PeriodController } from './period.controller.js';
import { PolicyController } from './policy.controller.js';
import { ReportController } from './report.controller.js';
import { RoleController } from './role.controller.js';
import { RuleApplicationController } from './rule-application.controller.js';
import { SaleController } from './sale.controller.js';
import { SessionController } from './session.controller.js';
import { TenantSaleController } from './tenant-sale.controller.js';
import { StatementController } from './statement.controller.js';
import { EventController, StreamController } from './stream.controller.js';
import { TenantController } from './tenant.controller.js';
import { TransactionController } from './transaction.controller.js';
import { UserController } from './user.controller.js';
import { WebhookController } from './webhook.controller.js';

/** The controllers of the API, in the order of the OpenAPI document. */
export const resourceControllers = [
  SessionController,
  FactorController,
  ConsoleSessionController,
  TenantController,
  OperatorController,
  ProjectionController,
  BranchController,
  CustomerController,
  TransactionController,
  TenantSaleController,
  AccountController,
  CategoryController,
  CategoryRuleController,
  RuleApplicationController,
  ReportController,
  PeriodController,
  StatementController,
  IntegrationKeyController,
  IntegrationEventController,
  WebhookController,
  SaleController,
  DeadLetterController,
  ForwarderController,
  PolicyController,
  JobController,
  ErrorLogController,
  AuditLogController,
  StreamController,
  IntegrityController,
  EventController,
  UserController,
  RoleController,
  CacheController,
  HealthController,
  NotificationController,
];

import { Module, type DynamicModule, type InjectionToken, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { catalogue } from './catalogue.js';
import { branchCommandHandlers } from './commands/branch.commands.js';
import { CATEGORIZER } from './aggregates/categorizer.js';
import { DEAD_LETTER_OFFICE } from './aggregates/dead-letter-office.js';
import { LEDGER_DIRECTORY, LEDGER_USE } from './aggregates/ledger-use.js';
import { accountCommandHandlers } from './commands/account.commands.js';
import { categoryRuleCommandHandlers } from './commands/category-rule.commands.js';
import { categoryCommandHandlers } from './commands/category.commands.js';
import { CustomerCodes } from './commands/customer-codes.js';
import { CustomerCreation, customerCommandHandlers } from './commands/customer.commands.js';
import { deadLetterCommandHandlers } from './commands/dead-letter.commands.js';
import { errorLogCommandHandlers } from './commands/error-log.commands.js';
import { ErrorRecorder } from './commands/error-recorder.js';
import { forwarderCommandHandlers } from './commands/forwarder.commands.js';
import { IntegrationKeyUses } from './commands/integration-key-uses.js';
import { integrationKeyCommandHandlers } from './commands/integration-key.commands.js';
import { jobCommandHandlers } from './commands/job.commands.js';
import { operatorCommandHandlers } from './commands/operator.commands.js';
import { roleCommandHandlers } from './commands/role.commands.js';
import { LoginFailures } from './commands/login-failures.js';
import { LoginThrottle } from './commands/login-throttle.js';
import { SessionAccounts } from './commands/session-accounts.js';
import { SessionTokens } from './commands/session-tokens.js';
import { sessionCommandHandlers } from './commands/session.commands.js';
import { TenantSeeder } from './commands/tenant-seeds.js';
import { tenantCommandHandlers } from './commands/tenant.commands.js';
import { UserReferences } from './commands/user-references.js';
import { userCommandHandlers } from './commands/user.commands.js';
import { transactionChangeHandlers } from './commands/transaction-change.commands.js';
import { transactionCommandHandlers } from './commands/transaction.commands.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { StreamAuthenticator } from './http/authenticator.js';
import { AuditLogController } from './http/audit-log.controller.js';
import { CacheController } from './http/cache.controller.js';
import { HealthController } from './http/health.controller.js';
import { BackupController } from './http/backup.controller.js';
import { BranchController } from './http/branch.controller.js';
import { AccountController } from './http/account.controller.js';
import { CategoryRuleController } from './http/category-rule.controller.js';
import { CategoryController } from './http/category.controller.js';
import { CommandGateway } from './http/command-gateway.js';
import { ConsoleSessionController } from './http/console-session.controller.js';
import { CustomerController } from './http/customer.controller.js';
import { DeadLetterController } from './http/dead-letter.controller.js';
import { ErrorLogController } from './http/error-log.controller.js';
import { IntegrationKeyController } from './http/integration-key.controller.js';
import { IntegrationEventController } from './http/integration-event.controller.js';
import { JobController } from './http/job.controller.js';
import { JobFeed } from './http/job-feed.js';
import { NotedAuthenticator } from './http/noted-authenticator.js';
import { OperatorController } from './http/operator.controller.js';
import { PlatformController } from './http/platform.controller.js';
import { ProjectionController } from './http/projection.controller.js';
import { projectionCommandHandlers } from './commands/projection.commands.js';
import { projectionQueryHandlers } from './queries/projection.queries.js';
import { ProjectionStatus } from './platform/projection-status.js';
import { projections } from './projections/projections.js';
import { MetricsController } from './http/metrics.controller.js';
import { ProbeController } from './http/probe.controller.js';
import { CacheRateLimiter } from './http/rate-limiter.js';
import { ReportController } from './http/report.controller.js';
import { RoleController } from './http/role.controller.js';
import { SaleController } from './http/sale.controller.js';
import { SessionController } from './http/session.controller.js';
import { SETTINGS } from './http/settings.js';
import { StreamController } from './http/stream.controller.js';
import { TenantController } from './http/tenant.controller.js';
import { TransactionController } from './http/transaction.controller.js';
import { UserController } from './http/user.controller.js';
import { ServiceDeadLetterOffice } from './dead-letter-office.js';
import { notificationControllers, notificationProviders, type PushParts } from './notifications.js';
import { ServiceSubscriberOffice } from './subscriber-office.js';
import { backupDirectory, historyJobs } from './history-jobs.js';
import { DeadLetters } from './integration/dead-letters.js';
import { TakeSaleHandler } from './integration/sale-intake.js';
import { JobLeader } from './jobs/job-leader.js';
import { JOB_SCHEDULES, parseSchedules } from './jobs/job-schedules.js';
import { HISTORY_JOBS, jobProviders } from './jobs/jobs.js';
import { AccessTokens } from './platform/access-tokens.js';
import { Appender } from './platform/appender.js';
import { BackupArchive } from './platform/backup-archive.js';
import { Claims } from './platform/claims.js';
import { CommandRunner } from './platform/command-runner.js';
import { EventCatalogue } from './platform/event-catalogue.js';
import { FilledModels } from './platform/filled-models.js';
import { Memberships } from './platform/memberships.js';
import { OidcTokens } from './platform/oidc.js';
import { Passwords, passwords } from './platform/passwords.js';
import { BROKER } from './ports/broker.js';
import { LOGGER } from './ports/log.js';
import { AUTHENTICATOR, RATE_LIMITER } from './platform/principal.js';
import { Progress } from './platform/progress.js';
import { ReadModels } from './platform/query.js';
import { RecordReader } from './platform/record-reader.js';
import { lastOwnEvent } from './platform/stream-events.js';
import { CustomerMatching } from './policies/customer-matching.js';
import { SaleFactsReader } from './policies/sale-facts.js';
import { policyProviders } from './policies/policies.js';
import { RestorationWatch } from './policies/restoration-watch.js';
import { Restoring } from './policies/restoring.js';
import { CACHE } from './ports/cache.js';
import { EVENT_STORE } from './ports/event-store.js';
import { CLOCK, IDS } from './ports/time.js';
import { auditLogQueryHandlers } from './queries/audit-log.queries.js';
import { observationProviders } from './observation.js';
import { branchQueryHandlers } from './queries/branch.queries.js';
import { accountQueryHandlers } from './queries/account.queries.js';
import { categoryRuleQueryHandlers } from './queries/category-rule.queries.js';
import { categoryQueryHandlers } from './queries/category.queries.js';
import { CaughtUp } from './queries/caught-up.js';
import { DeletedRecords } from './queries/deleted-records.js';
import { customerQueryHandlers } from './queries/customer.queries.js';
import { deadLetterQueryHandlers } from './queries/dead-letter.queries.js';
import { errorLogQueryHandlers } from './queries/error-log.queries.js';
import { integrationKeyQueryHandlers } from './queries/integration-key.queries.js';
import { jobQueryHandlers } from './queries/job.queries.js';
import { operatorQueryHandlers } from './queries/operator.queries.js';
import { roleQueryHandlers } from './queries/role.queries.js';
import { GetMeHandler } from './queries/session.queries.js';
import { ProjectedCategorizer } from './queries/projected-categorizer.js';
import { ProjectedLedgerUse } from './queries/ledger-use.js';
import { saleQueryHandlers } from './queries/sale.queries.js';
import { streamQueryHandlers } from './queries/stream.queries.js';
import { tenantQueryHandlers } from './queries/tenant.queries.js';
import { transactionQueryHandlers } from './queries/transaction.queries.js';
import { GetTrialBalanceHandler } from './queries/trial-balance.query.js';
import { userQueryHandlers } from './queries/user.queries.js';

const controllers = [
  SessionController,
  ConsoleSessionController,
  TenantController,
  OperatorController,
  PlatformController,
  ProjectionController,
  BackupController,
  BranchController,
  CustomerController,
  TransactionController,
  AccountController,
  CategoryController,
  CategoryRuleController,
  ReportController,
  IntegrationKeyController,
  IntegrationEventController,
  SaleController,
  DeadLetterController,
  ...notificationControllers,
  JobController,
  ErrorLogController,
  AuditLogController,
  StreamController,
  UserController,
  RoleController,
  CacheController,
  HealthController,
];

/** Every controller of a process that serves requests. */
export const allControllers = [ProbeController, MetricsController, ...controllers];

/** What Nest composes the service from, over engines that are open already. */
@Module({})
export class AppModule {
  static over(config: Config, engines: Engines, tokens: AccessTokens, push: PushParts): DynamicModule {
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers: [ProbeController, MetricsController, ...(config.ROLES.includes('http') ? controllers : [])],
      providers: [...platform(config, engines, tokens), ...notificationProviders(push), ...handlers],
    };
  }
}

function platform(config: Config, engines: Engines, tokens: AccessTokens): Provider[] {
  const { events, reads, broker, cache, clock, ids, logger, progress } = engines;
  const models = projections.map(({ model }) => model);
  const lastStored = () => lastOwnEvent(events, catalogue);
  const filled = new FilledModels({ models, progress, store: reads, lastStored, clock });
  const reader = new RecordReader(events, catalogue, clock);
  const appender = new Appender(events, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience = config.JWT_AUDIENCE } = config;
  const oidc = new OidcTokens({ issuer, audience, clock, logger });
  const value = (provide: InjectionToken, useValue: unknown): Provider => ({ provide, useValue });
  return [
    value(EVENT_STORE, events),
    value(BROKER, broker),
    value(CACHE, cache),
    value(CLOCK, clock),
    value(IDS, ids),
    value(LOGGER, logger),
    value(Progress, progress),
    value(AccessTokens, tokens),
    value(OidcTokens, oidc),
    value(Passwords, passwords),
    value(EventCatalogue, catalogue),
    value(RecordReader, reader),
    value(Appender, appender),
    value(Claims, claims),
    value(CommandRunner, new CommandRunner(reader, appender, claims, memberships, clock)),
    value(ProjectionStatus, new ProjectionStatus(reads, events, catalogue, reader, progress, models)),
    value(FilledModels, filled),
    value(ReadModels, new ReadModels(reads, filled)),
    value(BackupArchive, new BackupArchive(backupDirectory(config))),
    value(SETTINGS, { readWaitMs: config.READ_WAIT_MS }),
    value(HISTORY_JOBS, historyJobs(config, engines)),
    value(JOB_SCHEDULES, parseSchedules(config.JOB_SCHEDULES ?? '')),
    ...observationProviders(config, engines),
  ];
}

const handlers: Provider[] = [
  StreamAuthenticator,
  IntegrationKeyUses,
  { provide: AUTHENTICATOR, useClass: NotedAuthenticator },
  { provide: RATE_LIMITER, useClass: CacheRateLimiter },
  CommandGateway,
  LoginFailures,
  LoginThrottle,
  SessionAccounts,
  SessionTokens,
  CustomerCodes,
  CustomerCreation,
  TenantSeeder,
  UserReferences,
  DeadLetters,
  ServiceSubscriberOffice,
  { provide: DEAD_LETTER_OFFICE, useClass: ServiceDeadLetterOffice },
  ...policyProviders,
  ...deadLetterCommandHandlers,
  ...deadLetterQueryHandlers,
  ErrorRecorder,
  ...errorLogCommandHandlers,
  ...errorLogQueryHandlers,
  ...forwarderCommandHandlers,
  ...jobProviders,
  ...jobCommandHandlers,
  ...jobQueryHandlers,
  JobFeed,
  JobLeader,
  CustomerMatching,
  SaleFactsReader,
  CaughtUp,
  DeletedRecords,
  Restoring,
  RestorationWatch,
  TakeSaleHandler,
  ...branchCommandHandlers,
  { provide: LEDGER_USE, useClass: ProjectedLedgerUse },
  { provide: LEDGER_DIRECTORY, useClass: ProjectedLedgerUse },
  { provide: CATEGORIZER, useClass: ProjectedCategorizer },
  ...transactionCommandHandlers,
  ...transactionChangeHandlers,
  ...accountCommandHandlers,
  ...categoryCommandHandlers,
  ...categoryRuleCommandHandlers,
  ...customerCommandHandlers,
  ...integrationKeyCommandHandlers,
  ...operatorCommandHandlers,
  ...projectionCommandHandlers,
  ...roleCommandHandlers,
  ...sessionCommandHandlers,
  ...tenantCommandHandlers,
  ...userCommandHandlers,
  ...auditLogQueryHandlers,
  ...branchQueryHandlers,
  ...accountQueryHandlers,
  ...categoryQueryHandlers,
  ...categoryRuleQueryHandlers,
  ...customerQueryHandlers,
  ...integrationKeyQueryHandlers,
  ...roleQueryHandlers,
  ...operatorQueryHandlers,
  ...projectionQueryHandlers,
  ...streamQueryHandlers,
  ...tenantQueryHandlers,
  ...transactionQueryHandlers,
  ...userQueryHandlers,
  GetMeHandler,
  ...saleQueryHandlers,
  GetTrialBalanceHandler,
];

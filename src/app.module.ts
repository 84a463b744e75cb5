import { Module, type DynamicModule, type InjectionToken, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { catalogue } from './catalogue.js';
import { LEDGER_USE } from './aggregates/ledger-use.js';
import { accountCommandHandlers } from './commands/account.commands.js';
import { categoryRuleCommandHandlers } from './commands/category-rule.commands.js';
import { categoryCommandHandlers } from './commands/category.commands.js';
import { CustomerCodes } from './commands/customer-codes.js';
import { CustomerCreation, customerCommandHandlers } from './commands/customer.commands.js';
import { integrationKeyCommandHandlers } from './commands/integration-key.commands.js';
import { operatorCommandHandlers } from './commands/operator.commands.js';
import { sessionCommandHandlers } from './commands/session.commands.js';
import { TenantSeeder } from './commands/tenant-seeds.js';
import { tenantCommandHandlers } from './commands/tenant.commands.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { StreamAuthenticator } from './http/authenticator.js';
import { AccountController } from './http/account.controller.js';
import { CategoryRuleController } from './http/category-rule.controller.js';
import { CategoryController } from './http/category.controller.js';
import { CommandGateway } from './http/command-gateway.js';
import { CustomerController } from './http/customer.controller.js';
import { IntegrationKeyController } from './http/integration-key.controller.js';
import { PlatformController } from './http/platform.controller.js';
import { ProbeController, READINESS } from './http/probe.controller.js';
import { CacheRateLimiter } from './http/rate-limiter.js';
import { ReportController } from './http/report.controller.js';
import { SaleController } from './http/sale.controller.js';
import { SessionController } from './http/session.controller.js';
import { SETTINGS } from './http/settings.js';
import { TransactionController } from './http/transaction.controller.js';
import { DeadLetters } from './integration/dead-letters.js';
import { TakeSaleHandler } from './integration/sale-intake.js';
import { AccessTokens } from './platform/access-tokens.js';
import { Appender } from './platform/appender.js';
import { Claims } from './platform/claims.js';
import { CommandRunner } from './platform/command-runner.js';
import { Memberships } from './platform/memberships.js';
import { LOGGER } from './ports/log.js';
import { AUTHENTICATOR, RATE_LIMITER } from './platform/principal.js';
import { Progress } from './platform/progress.js';
import { ReadModels } from './platform/query.js';
import { RecordReader } from './platform/record-reader.js';
import { BookingPolicy } from './policies/booking.policy.js';
import { CustomerMatching } from './policies/customer-matching.js';
import { SaleFactsReader } from './policies/sale-facts.js';
import { TenantSeedingPolicy } from './policies/tenant-seeding.policy.js';
import { CACHE } from './ports/cache.js';
import { EVENT_STORE } from './ports/event-store.js';
import { CLOCK, IDS } from './ports/time.js';
import { Readiness } from './readiness.js';
import { accountQueryHandlers } from './queries/account.queries.js';
import { categoryRuleQueryHandlers } from './queries/category-rule.queries.js';
import { categoryQueryHandlers } from './queries/category.queries.js';
import { customerQueryHandlers } from './queries/customer.queries.js';
import { integrationKeyQueryHandlers } from './queries/integration-key.queries.js';
import { ProjectedLedgerUse } from './queries/ledger-use.js';
import { GetSaleStatusHandler } from './queries/sale.queries.js';
import { transactionQueryHandlers } from './queries/transaction.queries.js';
import { GetTrialBalanceHandler } from './queries/trial-balance.query.js';

const controllers = [
  SessionController,
  PlatformController,
  CustomerController,
  AccountController,
  TransactionController,
  CategoryController,
  CategoryRuleController,
  ReportController,
  IntegrationKeyController,
  SaleController,
];

/** What Nest composes the service from, over engines that are open already. */
@Module({})
export class AppModule {
  static over(config: Config, engines: Engines, tokens: AccessTokens): DynamicModule {
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers: [ProbeController, ...(config.ROLES.includes('http') ? controllers : [])],
      providers: [...platform(config, engines, tokens), ...handlers],
    };
  }
}

function platform(config: Config, engines: Engines, tokens: AccessTokens): Provider[] {
  const { events, reads, cache, clock, ids, logger, progress } = engines;
  const reader = new RecordReader(events, catalogue, clock);
  const appender = new Appender(events, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const readiness = new Readiness(engines, catalogue);
  const value = (provide: InjectionToken, useValue: unknown): Provider => ({ provide, useValue });
  return [
    value(EVENT_STORE, events),
    value(CACHE, cache),
    value(CLOCK, clock),
    value(IDS, ids),
    value(LOGGER, logger),
    value(Progress, progress),
    value(AccessTokens, tokens),
    value(RecordReader, reader),
    value(Appender, appender),
    value(Claims, claims),
    value(CommandRunner, new CommandRunner(reader, appender, claims, memberships, clock)),
    value(ReadModels, new ReadModels(reads)),
    value(SETTINGS, { readWaitMs: config.READ_WAIT_MS }),
    value(READINESS, () => readiness.check()),
  ];
}

const handlers: Provider[] = [
  { provide: AUTHENTICATOR, useClass: StreamAuthenticator },
  { provide: RATE_LIMITER, useClass: CacheRateLimiter },
  CommandGateway,
  CustomerCodes,
  CustomerCreation,
  TenantSeeder,
  DeadLetters,
  CustomerMatching,
  SaleFactsReader,
  BookingPolicy,
  TenantSeedingPolicy,
  TakeSaleHandler,
  { provide: LEDGER_USE, useClass: ProjectedLedgerUse },
  ...accountCommandHandlers,
  ...categoryCommandHandlers,
  ...categoryRuleCommandHandlers,
  ...customerCommandHandlers,
  ...integrationKeyCommandHandlers,
  ...operatorCommandHandlers,
  ...sessionCommandHandlers,
  ...tenantCommandHandlers,
  ...accountQueryHandlers,
  ...categoryQueryHandlers,
  ...categoryRuleQueryHandlers,
  ...customerQueryHandlers,
  ...integrationKeyQueryHandlers,
  ...transactionQueryHandlers,
  GetSaleStatusHandler,
  GetTrialBalanceHandler,
];

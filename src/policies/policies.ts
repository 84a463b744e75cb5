import type { Policy } from '../eventsourcing/policy.js';
import { BookingFacts } from './booking-facts.js';
import { BookingPlans } from './booking-plan.js';
import { BookingPolicy } from './booking.policy.js';
import { CategoryLearningPolicy } from './category-learning.policy.js';
import { HealingPolicy } from './healing.policy.js';
import { CustomerMatching } from './customer-matching.js';
import { SaleFactsReader } from './sale-facts.js';
import { LateEntryWatch } from './late-entry.watch.js';
import { NotificationPolicy } from './notification.policy.js';
import { OperatorAlerts } from './operator-alerts.js';
import { PushDeliveries } from './push-delivery.js';
import { PushSender } from './push-sender.js';
import { RejectedSales } from './rejected-sales.js';
import { RestorationPolicy, RestorationWatch, Restoring } from './restoration.policy.js';
import { RuleApplicationPolicy } from './rule-application.policy.js';
import { TenantSeedingPolicy } from './tenant-seeding.policy.js';

/** Injection token for all policies (`readonly Policy[]`). */
export const POLICIES = Symbol('POLICIES');

const classes = [
  BookingPolicy,
  HealingPolicy,
  TenantSeedingPolicy,
  RestorationPolicy,
  CategoryLearningPolicy,
  RuleApplicationPolicy,
  NotificationPolicy,
];

export const policyProviders = [
  CustomerMatching,
  SaleFactsReader,
  BookingFacts,
  BookingPlans,
  RejectedSales,
  Restoring,
  RestorationWatch,
  LateEntryWatch,
  PushSender,
  PushDeliveries,
  OperatorAlerts,
  ...classes,
  { provide: POLICIES, useFactory: (...policies: Policy[]) => policies, inject: classes },
];

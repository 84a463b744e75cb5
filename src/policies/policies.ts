import type { Policy } from '../platform/policy.js';
import { BookingPolicy } from './booking.policy.js';
import { CategoryLearningPolicy } from './category-learning.policy.js';
import { Notices } from './notices.js';
import { NotificationPolicy } from './notification.policy.js';
import { RestorationPolicy } from './restoration.policy.js';
import { TenantSeedingPolicy } from './tenant-seeding.policy.js';

/** All policies: readonly Policy[]. */
export const POLICIES = Symbol('POLICIES');

const classes = [BookingPolicy, TenantSeedingPolicy, RestorationPolicy, CategoryLearningPolicy, NotificationPolicy];

export const policyProviders = [
  Notices,
  ...classes,
  { provide: POLICIES, useFactory: (...policies: Policy[]) => policies, inject: classes },
];

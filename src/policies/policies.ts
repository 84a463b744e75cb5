import type { Policy } from '../platform/policy.js';
import { BookingPolicy } from './booking.policy.js';
import { CategoryLearningPolicy } from './category-learning.policy.js';
import { RestorationPolicy } from './restoration.policy.js';
import { TenantSeedingPolicy } from './tenant-seeding.policy.js';

/** All policies: readonly Policy[]. */
export const POLICIES = Symbol('POLICIES');

const classes = [BookingPolicy, TenantSeedingPolicy, RestorationPolicy, CategoryLearningPolicy];

export const policyProviders = [
  ...classes,
  { provide: POLICIES, useFactory: (...policies: Policy[]) => policies, inject: classes },
];

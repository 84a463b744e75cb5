/** Ids used in the examples of the API document. Each kind of record has the same id in all examples. */
const idOf = (number: number): string => `0199d3a0-0000-7000-8000-${String(number).padStart(12, '0')}`;

export const SAMPLE_IDS = {
  tenant: idOf(1),
  user: idOf(2),
  customer: idOf(3),
  customerAccount: idOf(4),
  bank: idOf(5),
  rent: idOf(6),
  branch: idOf(7),
  category: idOf(8),
  rule: idOf(9),
  application: idOf(10),
  transaction: idOf(11),
  otherTransaction: idOf(12),
  sale: idOf(13),
  role: idOf(14),
  key: idOf(15),
  webhook: idOf(16),
  message: idOf(17),
  notification: idOf(18),
  operator: idOf(19),
  session: idOf(20),
  factor: idOf(21),
  run: idOf(22),
  letter: idOf(23),
  error: idOf(24),
  event: idOf(25),
  subscription: idOf(26),
  request: idOf(27),
} as const;

/** Example ids of records, by the last fixed segment of the path before the id. */
export const IDS_BY_COLLECTION: Readonly<Record<string, string>> = {
  accounts: SAMPLE_IDS.rent,
  applications: SAMPLE_IDS.application,
  'audit-logs': SAMPLE_IDS.event,
  branches: SAMPLE_IDS.branch,
  customers: SAMPLE_IDS.customer,
  'dead-letters': SAMPLE_IDS.letter,
  deliveries: SAMPLE_IDS.message,
  'error-logs': SAMPLE_IDS.error,
  execution: SAMPLE_IDS.run,
  factors: SAMPLE_IDS.factor,
  'integration-keys': SAMPLE_IDS.key,
  logs: SAMPLE_IDS.run,
  notifications: SAMPLE_IDS.notification,
  operators: SAMPLE_IDS.operator,
  'push-subscriptions': SAMPLE_IDS.subscription,
  roles: SAMPLE_IDS.role,
  rules: SAMPLE_IDS.rule,
  sales: SAMPLE_IDS.sale,
  sessions: SAMPLE_IDS.session,
  tenants: SAMPLE_IDS.tenant,
  'transaction-categories': SAMPLE_IDS.category,
  transactions: SAMPLE_IDS.transaction,
  users: SAMPLE_IDS.user,
  webhooks: SAMPLE_IDS.webhook,
};

/** Example values of path parameters, by name. They are used if the preceding segment does not determine the value. */
export const PATH_VALUES: Readonly<Record<string, string>> = {
  externalId: 'order-4711',
  key: 'order-4711-attempt-1',
  pattern: 'sessions:*',
  entity: 'customer',
};

/** Example names in paths, by the segment before the name. */
export const NAMES_BY_COLLECTION: Readonly<Record<string, string>> = {
  forwarders: 'integration-events',
  policies: 'category-learning',
  projections: 'customers',
};

/** Ids in the responses to commands whose path does not contain a collection, by path. */
export const RECEIPT_IDS: Readonly<Record<string, string>> = {
  '/api/auth/change-password': SAMPLE_IDS.user,
  '/api/auth/logout': SAMPLE_IDS.session,
  '/api/auth/oidc/bind': SAMPLE_IDS.user,
  '/api/periods/close': SAMPLE_IDS.tenant,
  '/api/periods/reopen': SAMPLE_IDS.tenant,
  '/api/platform/redis/cache/:pattern': 'sessions:*',
  '/api/settings': SAMPLE_IDS.tenant,
  '/api/users/me/profile': SAMPLE_IDS.user,
  '/console/session': SAMPLE_IDS.session,
};

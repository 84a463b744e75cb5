/** The groups of operations: first those of the specification, by its names, then those added. */
export const TAGS = {
  'System Health': 'How the service is doing.',
  'Platform Jobs': 'Scheduled jobs, their runs and their artifacts.',
  Customers: 'Customers and what they owe.',
  Accounts: 'The accounts of the ledger.',
  Notifications: 'Notifications and web push.',
  'Transaction Categories': 'Categories and the rules that give them.',
  'Platform Audit Logs': 'Who did what, and what it changed.',
  'Platform Error Logs': 'Errors of the service, counted by kind.',
  'Platform Cache Management': 'The cache and the queues.',
  Users: 'The users of a tenant.',
  Roles: 'Roles beside the system roles.',
  Permissions: 'What can be granted.',
  Branches: 'The branches of a tenant.',
  'Partner Intake': 'Where partners push sales.',
  Authentication: 'Signing in and out.',
  'Platform Tenants': 'The tenants of the platform.',
  'Platform Operators': 'Who runs the platform.',
  Transactions: 'Balanced postings.',
  Reports: 'The trial balance and account statements.',
  'Integration Keys': 'The keys of partners.',
  'Integration Events': 'What the service publishes.',
  'Platform Dead Letters': 'What could not be delivered, and its replay.',
  'Platform Projections': 'Read models, their rebuilds, and the history under them.',
  Service: 'Probes, metrics and documents of the service itself.',
} as const;

export type Tag = keyof typeof TAGS;

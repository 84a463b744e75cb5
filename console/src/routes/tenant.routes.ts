import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { day, number as statementPage, listParams, oneOf, searchParams, text } from '../parts/search-params';
import { signedIn } from './signed-in.route';
import {
  accountsSearch,
  customersSearch,
  reportSearch,
  rulesSearch,
  salesSearch,
  tenantAuditSearch,
  transactionsSearch,
} from './tenant-filters';

const statementSearch = searchParams({ beginDate: day, endDate: day, page: statementPage, size: listParams.size });

// Pages for a tenant's users, subject to their permissions.
const customers = createRoute({
  getParentRoute: () => signedIn,
  path: '/customers',
  validateSearch: customersSearch,
  component: lazyRouteComponent(() => import('../pages/customers.page'), 'CustomersPage'),
});
const customer = createRoute({
  getParentRoute: () => signedIn,
  path: '/customers/$id',
  validateSearch: statementSearch,
  component: lazyRouteComponent(() => import('../pages/customer.page'), 'CustomerPage'),
});
const sales = createRoute({
  getParentRoute: () => signedIn,
  path: '/sales',
  validateSearch: salesSearch,
  component: lazyRouteComponent(() => import('../pages/sales.page'), 'SalesPage'),
});
const sale = createRoute({
  getParentRoute: () => signedIn,
  path: '/sales/$id',
  component: lazyRouteComponent(() => import('../pages/sale.page'), 'SalePage'),
});
const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: '/accounts',
  validateSearch: accountsSearch,
  component: lazyRouteComponent(() => import('../pages/accounts.page'), 'AccountsPage'),
});
const ledgerAccount = createRoute({
  getParentRoute: () => signedIn,
  path: '/accounts/$id',
  validateSearch: statementSearch,
  component: lazyRouteComponent(() => import('../pages/ledger-account.page'), 'LedgerAccountPage'),
});
const branches = createRoute({
  getParentRoute: () => signedIn,
  path: '/branches',
  validateSearch: searchParams({ ...listParams, sort: oneOf('code', 'name', 'newest'), search: text }),
  component: lazyRouteComponent(() => import('../pages/branches.page'), 'BranchesPage'),
});
const periods = createRoute({
  getParentRoute: () => signedIn,
  path: '/periods',
  component: lazyRouteComponent(() => import('../pages/periods.page'), 'PeriodsPage'),
});
const reports = createRoute({
  getParentRoute: () => signedIn,
  path: '/reports',
  component: lazyRouteComponent(() => import('../pages/report.page'), 'ReportsPage'),
});
const report = createRoute({
  getParentRoute: () => signedIn,
  path: '/reports/$name',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('../pages/report.page'), 'ReportPage'),
});
const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/users',
  validateSearch: searchParams({ ...listParams, sort: oneOf('name', 'newest'), search: text }),
  component: lazyRouteComponent(() => import('../pages/users.page'), 'UsersPage'),
});
const roles = createRoute({
  getParentRoute: () => signedIn,
  path: '/roles',
  validateSearch: searchParams(listParams),
  component: lazyRouteComponent(() => import('../pages/roles.page'), 'RolesPage'),
});
const applications = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules/applications',
  validateSearch: searchParams(listParams),
  component: lazyRouteComponent(() => import('../pages/rule-applications.page'), 'RuleApplicationsPage'),
});
const auditLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit-log',
  validateSearch: tenantAuditSearch,
  component: lazyRouteComponent(() => import('../pages/tenant-audit.page'), 'TenantAuditPage'),
});
const auditLogEntry = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit-log/$id',
  component: lazyRouteComponent(() => import('../pages/tenant-audit-entry.page'), 'TenantAuditEntryPage'),
});
const transactions = createRoute({
  getParentRoute: () => signedIn,
  path: '/transactions',
  validateSearch: transactionsSearch,
  component: lazyRouteComponent(() => import('../pages/transactions.page'), 'TransactionsPage'),
});
const transaction = createRoute({
  getParentRoute: () => signedIn,
  path: '/transactions/$id',
  component: lazyRouteComponent(() => import('../pages/transaction.page'), 'TransactionPage'),
});
const categories = createRoute({
  getParentRoute: () => signedIn,
  path: '/categories',
  validateSearch: searchParams({ ...listParams, search: text, isArchived: oneOf('true', 'false') }),
  component: lazyRouteComponent(() => import('../pages/categories.page'), 'CategoriesPage'),
});
const rules = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules',
  validateSearch: rulesSearch,
  component: lazyRouteComponent(() => import('../pages/rules.page'), 'RulesPage'),
});
const ruleBench = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules/bench',
  component: lazyRouteComponent(() => import('../pages/rule-bench.page'), 'RuleBenchPage'),
});
const keys = createRoute({
  getParentRoute: () => signedIn,
  path: '/partner-keys',
  validateSearch: searchParams({ ...listParams, search: text }),
  component: lazyRouteComponent(() => import('../pages/partner-keys.page'), 'PartnerKeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  validateSearch: searchParams(listParams),
  component: lazyRouteComponent(() => import('../pages/webhooks.page'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id',
  validateSearch: searchParams({ ...listParams, status: oneOf('PENDING', 'DELIVERED', 'FAILED') }),
  component: lazyRouteComponent(() => import('../pages/webhook.page'), 'WebhookPage'),
});
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings.page'), 'SettingsPage'),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account.page'), 'AccountPage'),
});
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/notifications',
  validateSearch: searchParams({ ...listParams, isRead: oneOf('true', 'false') }),
  component: lazyRouteComponent(() => import('../pages/notifications.page'), 'NotificationsPage'),
});

export const tenantRoutes = [
  sales,
  sale,
  accounts,
  ledgerAccount,
  branches,
  periods,
  reports,
  report,
  users,
  roles,
  applications,
  auditLog,
  auditLogEntry,
  customers,
  customer,
  transactions,
  transaction,
  categories,
  rules,
  ruleBench,
  keys,
  webhooks,
  webhook,
  settings,
  account,
  notifications,
] as const;

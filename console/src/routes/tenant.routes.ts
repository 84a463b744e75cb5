import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { day, oneOf, pageNumber, searchParams } from '../parts/search-params';
import { signedIn } from './signed-in.route';
import { customersSearch, rulesSearch, transactionsSearch } from './tenant-filters';

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
  validateSearch: searchParams({ beginDate: day, endDate: day }),
  component: lazyRouteComponent(() => import('../pages/customer.page'), 'CustomerPage'),
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
  component: lazyRouteComponent(() => import('../pages/partner-keys.page'), 'PartnerKeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  validateSearch: searchParams({ page: pageNumber }),
  component: lazyRouteComponent(() => import('../pages/webhooks.page'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id',
  validateSearch: searchParams({ page: pageNumber, status: oneOf('PENDING', 'DELIVERED', 'FAILED') }),
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
  validateSearch: searchParams({ page: pageNumber, isRead: oneOf('true', 'false') }),
  component: lazyRouteComponent(() => import('../pages/notifications.page'), 'NotificationsPage'),
});

export const tenantRoutes = [
  customers,
  customer,
  transactions,
  transaction,
  rules,
  ruleBench,
  keys,
  webhooks,
  webhook,
  settings,
  account,
  notifications,
] as const;

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listParams, oneOf, searchParams, text } from '../parts/search-params';
import { auditSearch, errorsSearch, eventsSearch } from './platform-filters';
import { signedIn } from './signed-in.route';

// Pages for operators: audit log, record histories, failures and tenants.
const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/audit.page'), 'AuditPage'),
});
const auditEntry = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit/$id',
  component: lazyRouteComponent(() => import('../pages/audit-entry.page'), 'AuditEntryPage'),
});
const record = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/$entity/$id',
  validateSearch: searchParams({ tenantId: text, at: text }),
  component: lazyRouteComponent(() => import('../pages/record.page'), 'RecordPage'),
});
const errors = createRoute({
  getParentRoute: () => signedIn,
  path: '/errors',
  validateSearch: errorsSearch,
  component: lazyRouteComponent(() => import('../pages/errors.page'), 'ErrorsPage'),
});
const error = createRoute({
  getParentRoute: () => signedIn,
  path: '/errors/$id',
  component: lazyRouteComponent(() => import('../pages/error.page'), 'ErrorPage'),
});
const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import('../pages/events.page'), 'EventsPage'),
});
const integrity = createRoute({
  getParentRoute: () => signedIn,
  path: '/integrity',
  component: lazyRouteComponent(() => import('../pages/integrity.page'), 'IntegrityPage'),
});
const tenants = createRoute({
  getParentRoute: () => signedIn,
  path: '/tenants',
  validateSearch: searchParams({ ...listParams, search: text, isActive: oneOf('true', 'false') }),
  component: lazyRouteComponent(() => import('../pages/tenants.page'), 'TenantsPage'),
});
const tenant = createRoute({
  getParentRoute: () => signedIn,
  path: '/tenants/$id',
  validateSearch: searchParams(listParams),
  component: lazyRouteComponent(() => import('../pages/tenant.page'), 'TenantPage'),
});
const operators = createRoute({
  getParentRoute: () => signedIn,
  path: '/operators',
  validateSearch: searchParams({ ...listParams, search: text }),
  component: lazyRouteComponent(() => import('../pages/operators.page'), 'OperatorsPage'),
});

export const platformRoutes = [
  audit,
  auditEntry,
  record,
  errors,
  error,
  events,
  integrity,
  tenants,
  tenant,
  operators,
] as const;

import type { LinkProps } from '@tanstack/react-router';
import { isOperator, type Me } from '../api/me';
import type { IconName } from '../parts/icons';

/** `operator` or `tenant` for their users; otherwise the permission that a tenant's user needs. */
type For = string;

type Destination = {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  readonly who: For;
};

type Section = { readonly label: string; readonly destinations: readonly Destination[] };

const SECTIONS: readonly Section[] = [
  {
    label: 'Operations',
    destinations: [
      { to: '/', label: 'Overview', icon: 'gauge', who: 'operator' },
      { to: '/jobs', label: 'Jobs', icon: 'clock', who: 'operator' },
      { to: '/dead-letters', label: 'Dead letters', icon: 'inbox', who: 'operator' },
      { to: '/errors', label: 'Errors', icon: 'alert', who: 'operator' },
    ],
  },
  {
    label: 'Records',
    destinations: [
      { to: '/audit', label: 'Audit log', icon: 'audit', who: 'operator' },
      { to: '/events', label: 'Events', icon: 'history', who: 'operator' },
      { to: '/tenants', label: 'Tenants', icon: 'tenants', who: 'operator' },
      { to: '/operators', label: 'Operators', icon: 'users', who: 'operator' },
    ],
  },
  {
    label: 'Books',
    destinations: [
      { to: '/', label: 'Home', icon: 'gauge', who: 'tenant' },
      { to: '/sales', label: 'Sales', icon: 'inbox', who: 'transactions.read' },
      { to: '/customers', label: 'Customers', icon: 'users', who: 'customers.read' },
      { to: '/transactions', label: 'Transactions', icon: 'rows', who: 'transactions.read' },
      { to: '/reports', label: 'Reports', icon: 'audit', who: 'reports.read' },
      { to: '/periods', label: 'Periods', icon: 'clock', who: 'reports.read' },
    ],
  },
  {
    label: 'Settings',
    destinations: [
      { to: '/accounts', label: 'Accounts', icon: 'layers', who: 'accounts.read' },
      { to: '/branches', label: 'Branches', icon: 'tenants', who: 'branches.read' },
      { to: '/rules', label: 'Category rules', icon: 'rules', who: 'categories.read' },
      { to: '/partner-keys', label: 'Partner keys', icon: 'key', who: 'integrations.manage' },
      { to: '/webhooks', label: 'Webhooks', icon: 'webhook', who: 'integrations.manage' },
      { to: '/settings', label: 'Sign-in settings', icon: 'lock', who: 'users.read' },
      { to: '/users', label: 'Users', icon: 'users', who: 'users.read' },
      { to: '/roles', label: 'Roles', icon: 'rules', who: 'roles.read' },
      { to: '/audit-log', label: 'Audit log', icon: 'audit', who: 'audit.read' },
    ],
  },
  {
    label: 'System',
    destinations: [
      { to: '/projections', label: 'Projections', icon: 'layers', who: 'operator' },
      { to: '/integrity', label: 'Integrity', icon: 'lock', who: 'operator' },
      { to: '/queues', label: 'Cache and queues', icon: 'rows', who: 'operator' },
    ],
  },
];

const mayGo = (me: Me, who: For): boolean =>
  who === 'operator' || who === 'tenant' ? isOperator(me) === (who === 'operator') : me.permissions.includes(who);

/** Destinations that a user may visit, by section; empty sections are omitted. */
export const sectionsFor = (me: Me): Section[] =>
  SECTIONS.map(({ label, destinations }) => ({
    label,
    destinations: destinations.filter(({ who }) => mayGo(me, who)),
  })).filter(({ destinations }) => destinations.length > 0);

/** Whether a user may not open a page. Such a page requests no data. The start page is open to everyone. */
export const isClosed = (me: Me, pathname: string): boolean =>
  (pathname.startsWith('/records/') && !isOperator(me)) ||
  SECTIONS.flatMap(({ destinations }) => destinations).some(
    ({ to, who }) => to !== '/' && !mayGo(me, who) && (pathname === to || pathname.startsWith(`${to}/`)),
  );

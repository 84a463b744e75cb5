import type { LinkProps } from '@tanstack/react-router';
import { isOperator, type Me } from '../api/me';
import type { IconName } from '../parts/icons';
import { t } from '../messages/catalogue';

/**
 * `operator` or `tenant` means all users of that kind. Any other value is the permission that a tenant's user needs.
 */
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
    label: t('Operations'),
    destinations: [
      { to: '/', label: t('Overview'), icon: 'gauge', who: 'operator' },
      { to: '/jobs', label: t('Jobs'), icon: 'clock', who: 'operator' },
      { to: '/dead-letters', label: t('Dead letters'), icon: 'inbox', who: 'operator' },
      { to: '/errors', label: t('Errors'), icon: 'alert', who: 'operator' },
    ],
  },
  {
    label: t('Records'),
    destinations: [
      { to: '/audit', label: t('Audit log'), icon: 'audit', who: 'operator' },
      { to: '/events', label: t('Events'), icon: 'history', who: 'operator' },
      { to: '/tenants', label: t('Tenants'), icon: 'tenants', who: 'operator' },
      { to: '/operators', label: t('Operators'), icon: 'users', who: 'operator' },
    ],
  },
  {
    label: t('Books'),
    destinations: [
      { to: '/', label: t('Home'), icon: 'gauge', who: 'tenant' },
      { to: '/sales', label: t('Sales'), icon: 'inbox', who: 'transactions.read' },
      { to: '/customers', label: t('Customers'), icon: 'users', who: 'customers.read' },
      { to: '/transactions', label: t('Transactions'), icon: 'rows', who: 'transactions.read' },
      { to: '/reports', label: t('Reports'), icon: 'audit', who: 'reports.read' },
      { to: '/periods', label: t('Periods'), icon: 'clock', who: 'reports.read' },
    ],
  },
  {
    label: t('Settings'),
    destinations: [
      { to: '/accounts', label: t('Accounts'), icon: 'layers', who: 'accounts.read' },
      { to: '/branches', label: t('Branches'), icon: 'tenants', who: 'branches.read' },
      { to: '/categories', label: t('Categories'), icon: 'bookmark', who: 'categories.read' },
      { to: '/rules', label: t('Category rules'), icon: 'rules', who: 'categories.read' },
      { to: '/partner-keys', label: t('Partner keys'), icon: 'key', who: 'integrations.manage' },
      { to: '/webhooks', label: t('Webhooks'), icon: 'webhook', who: 'integrations.manage' },
      { to: '/settings', label: t('Sign-in settings'), icon: 'lock', who: 'users.read' },
      { to: '/users', label: t('Users'), icon: 'users', who: 'users.read' },
      { to: '/roles', label: t('Roles'), icon: 'rules', who: 'roles.read' },
      { to: '/audit-log', label: t('Audit log'), icon: 'audit', who: 'audit.read' },
    ],
  },
  {
    label: t('System'),
    destinations: [
      { to: '/projections', label: t('Projections'), icon: 'layers', who: 'operator' },
      { to: '/integrity', label: t('Integrity'), icon: 'lock', who: 'operator' },
      { to: '/queues', label: t('Cache and queues'), icon: 'rows', who: 'operator' },
    ],
  },
];

const mayGo = (me: Me, who: For): boolean =>
  who === 'operator' || who === 'tenant' ? isOperator(me) === (who === 'operator') : me.permissions.includes(who);

/** Returns the destinations that a user may visit, by section. Omits empty sections. */
export const sectionsFor = (me: Me): Section[] =>
  SECTIONS.map(({ label, destinations }) => ({
    label,
    destinations: destinations.filter(({ who }) => mayGo(me, who)),
  })).filter(({ destinations }) => destinations.length > 0);

/** Returns whether a page is closed to a user. A closed page requests no data. The start page is open to every user. */
export const isClosed = (me: Me, pathname: string): boolean =>
  (pathname.startsWith('/records/') && !isOperator(me)) ||
  SECTIONS.flatMap(({ destinations }) => destinations).some(
    ({ to, who }) => to !== '/' && !mayGo(me, who) && (pathname === to || pathname.startsWith(`${to}/`)),
  );

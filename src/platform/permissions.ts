/** What can be granted. Codes are part of the contract; roles store them. */
const resources = {
  customers: 'Customers',
  accounts: 'Accounts',
  transactions: 'Transactions',
  categories: 'Transaction Categories',
  users: 'Users',
  roles: 'Roles',
  branches: 'Branches',
} as const;

type Resource = keyof typeof resources;
/** The code of a permission: part of the API, and stored in roles for ever. */
export type PermissionCode =
  `${Resource}.${'read' | 'write'}` | 'notifications.send' | 'integrations.manage' | 'reports.read';
/** A permission as the API lists it. */
export type Permission = { readonly code: PermissionCode; readonly group: string; readonly description: string };

const ofResource = ([resource, group]: readonly [Resource, string]): Permission[] => [
  { code: `${resource}.read`, group, description: `See ${group.toLowerCase()}` },
  { code: `${resource}.write`, group, description: `Create, change and remove ${group.toLowerCase()}` },
];

/** Every permission there is, in the order in which it is shown. */
export const PERMISSIONS: readonly Permission[] = [
  ...(Object.entries(resources) as [Resource, string][]).flatMap(ofResource),
  { code: 'notifications.send', group: 'Notifications', description: 'Send notifications to the users of the tenant' },
  { code: 'integrations.manage', group: 'Integrations', description: 'Manage the keys of partner integrations' },
  { code: 'reports.read', group: 'Reports', description: 'See the trial balance and account statements' },
];

/** Every permission code; what OWNER and ADMIN have. */
export const ALL_PERMISSIONS: ReadonlySet<PermissionCode> = new Set(PERMISSIONS.map(({ code }) => code));

const userMayAlso: readonly PermissionCode[] = ['customers.write', 'transactions.write'];
const userMayNot: readonly PermissionCode[] = ['users.read', 'roles.read'];

/** The roles that every tenant has from its beginning; they cannot be changed. */
export type SystemRole = 'OWNER' | 'ADMIN' | 'USER';

/** The fixed permissions of the system roles: OWNER and ADMIN all; USER every read but users and roles, and two writes. */
export const SYSTEM_ROLE_PERMISSIONS: Readonly<Record<SystemRole, ReadonlySet<PermissionCode>>> = {
  OWNER: ALL_PERMISSIONS,
  ADMIN: ALL_PERMISSIONS,
  USER: new Set(
    [...ALL_PERMISSIONS].filter(
      (code) => userMayAlso.includes(code) || (code.endsWith('.read') && !userMayNot.includes(code)),
    ),
  ),
};

/** Whether there is such a permission. */
export const isPermission = (code: string): code is PermissionCode => ALL_PERMISSIONS.has(code as PermissionCode);

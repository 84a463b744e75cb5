/** Resources that have read and write permissions. Their names are part of permission codes, which roles store. */
const resources = {
  customers: 'Customers',
  accounts: 'Accounts',
  transactions: 'Transactions',
  categories: 'Transaction Categories',
  users: 'Users',
  roles: 'Roles',
  branches: 'Branches',
} as const;

/** A resource whose permissions are `read` and `write`. */
export type Resource = keyof typeof resources;
/** Code of a permission. Codes are part of the API and stored in roles, so they must never change. */
export type PermissionCode =
  | `${Resource}.${'read' | 'write'}`
  | 'notifications.send'
  | 'integrations.manage'
  | 'reports.read'
  | 'periods.close'
  | 'audit.read';
/** A permission as returned by the API. */
export type Permission = { readonly code: PermissionCode; readonly group: string; readonly description: string };

const ofResource = ([resource, group]: readonly [Resource, string]): Permission[] => [
  { code: `${resource}.read`, group, description: `View ${group.toLowerCase()}` },
  { code: `${resource}.write`, group, description: `Create, change and remove ${group.toLowerCase()}` },
];

/** All permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = [
  ...(Object.entries(resources) as [Resource, string][]).flatMap(ofResource),
  { code: 'notifications.send', group: 'Notifications', description: 'Send notifications to the users of the tenant' },
  { code: 'integrations.manage', group: 'Integrations', description: 'Manage the keys and webhooks of integrations' },
  { code: 'reports.read', group: 'Reports', description: 'View reports and account statements' },
  { code: 'periods.close', group: 'Periods', description: 'Close and reopen periods' },
  { code: 'audit.read', group: 'Audit Log', description: 'View who changed what in the tenant' },
];

/** All permission codes. OWNER and ADMIN have all of them. */
export const ALL_PERMISSIONS: ReadonlySet<PermissionCode> = new Set(PERMISSIONS.map(({ code }) => code));

const userMayAlso: readonly PermissionCode[] = ['customers.write', 'transactions.write'];
const userMayNot: readonly PermissionCode[] = ['users.read', 'roles.read', 'audit.read'];

/** Roles that every tenant has and that cannot be changed. */
export type SystemRole = 'OWNER' | 'ADMIN' | 'USER';

/**
 * The permissions of the system roles. OWNER and ADMIN have all permissions. USER has two write permissions and every
 * read permission except those for users, roles and the audit log.
 */
export const SYSTEM_ROLE_PERMISSIONS: Readonly<Record<SystemRole, ReadonlySet<PermissionCode>>> = {
  OWNER: ALL_PERMISSIONS,
  ADMIN: ALL_PERMISSIONS,
  USER: new Set(
    [...ALL_PERMISSIONS].filter(
      (code) => userMayAlso.includes(code) || (code.endsWith('.read') && !userMayNot.includes(code)),
    ),
  ),
};

export const isPermission = (code: string): code is PermissionCode => ALL_PERMISSIONS.has(code as PermissionCode);

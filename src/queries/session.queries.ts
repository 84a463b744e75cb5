import { answers, query } from '../eventsourcing/handler.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { PERMISSIONS, type PermissionCode } from '../security/permissions.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

/** The signed-in user or operator, the tenant, and the permissions. */
export type Me = {
  readonly user: {
    readonly id: string;
    readonly fullName: string;
    readonly email: string;
    readonly phone: string | null;
    /** Null for operators. */
    readonly role: string | null;
    readonly roleIds: readonly string[];
    readonly isActive: boolean;
    readonly branchId: string | null;
    readonly branchIds: readonly string[];
  };
  /** Null for operators. */
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly slug: string;
    readonly currency: string;
    readonly timeZone: string;
  } | null;
  /** In the order of the catalogue. */
  readonly permissions: readonly PermissionCode[];
};

export class GetMe extends query<Me, [principal: UserPrincipal | OperatorPrincipal]>() {}

async function operatorOf(reader: RecordReader, { userId: id }: OperatorPrincipal): Promise<Me> {
  const { state } = await reader.read(operator, PLATFORM_TENANT, id);
  if (state.status === 'absent') throw notFound('operator');
  const { fullName, email } = state;
  const nothing = { phone: null, role: null, roleIds: [], branchId: null, branchIds: [] };
  const user = { id, fullName, email, ...nothing, isActive: state.status === 'active' };
  return { user, tenant: null, permissions: [] };
}

async function userOf(reader: RecordReader, { userId: id, tenantId, permissions }: UserPrincipal): Promise<Me> {
  const [{ state }, { state: home }] = await Promise.all([
    reader.read(user, tenantId, id),
    reader.read(tenant, PLATFORM_TENANT, tenantId),
  ]);
  if (state.status === 'absent' || home.status === 'absent') throw notFound('user');
  const { fullName, email, phone, role, roleIds, branchId, branchIds } = state;
  const { name, slug, currency, timeZone } = home;
  const isActive = state.status === 'active';
  return {
    user: { id, fullName, email, phone, role, roleIds, isActive, branchId, branchIds },
    tenant: { id: tenantId, name, slug, currency, timeZone },
    permissions: PERMISSIONS.map(({ code }) => code).filter((code) => permissions.has(code)),
  };
}

/** Read from the streams, like the checks of the next request. */
export const getMeHandler = answers(GetMe, [RecordReader], (reader, principal) =>
  principal.kind === 'operator' ? operatorOf(reader, principal) : userOf(reader, principal),
);

import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { actorNames, latestEntries } from '../api/audit';
import { accountSource, branchSource, categorySource, customerSource, transactionQuery } from '../api/books';
import { isOperator, useMe } from '../api/me';
import { roleNames, userNames } from '../api/people';
import { NAMES_MS, queryClient } from '../api/queries';
import { saleQuery } from '../api/sales';
import { PLATFORM, tenantSource } from '../api/tenants';
import { isUuid } from '../api/uuid';
import { amountWords } from './amount';
import { recordNameIn } from './audit-words';
import { NameOf } from './name-of';
import type { Names } from './remote-choice';
import { saleTypeWords } from './sale-words';
import { typeWords } from './transaction-words';

export const transactionNames: Names = {
  key: ['transaction', 'names'],
  permission: 'transactions.read',
  nameOf: async (id) => {
    const found = await queryClient.query({ ...transactionQuery(id), staleTime: NAMES_MS });
    return `${typeWords(found)} ${amountWords(found.amount)} ${found.currency}`;
  },
};

export const saleNames: Names = {
  key: ['sale', 'names'],
  permission: 'transactions.read',
  nameOf: async (id) => {
    const { type, externalId } = await queryClient.query({ ...saleQuery(id), staleTime: NAMES_MS });
    return `${saleTypeWords(type)} ${externalId}`;
  },
};

type Kind = { readonly names: Names; readonly to?: NonNullable<LinkProps['to']> };

/** How tenants see the records that other records refer to. `to`: the record's page. */
const KINDS = {
  account: { names: { ...accountSource, permission: 'accounts.read' }, to: '/accounts/$id' },
  branch: { names: { ...branchSource, permission: 'branches.read' } },
  category: { names: { ...categorySource, permission: 'categories.read' } },
  customer: { names: { ...customerSource, permission: 'customers.read' }, to: '/customers/$id' },
  role: { names: roleNames },
  sale: { names: saleNames, to: '/sales/$id' },
  tenant: { names: tenantSource, to: '/tenants/$id' },
  transaction: { names: transactionNames, to: '/transactions/$id' },
  user: { names: userNames },
} as const satisfies Readonly<Record<string, Kind>>;

export type RecordKind = keyof typeof KINDS;

type Props = {
  readonly id: string;
  readonly kind: RecordKind;
  /** Tenant of the record, for operators. */
  readonly tenantId?: string | undefined;
};

/** A record's name, linked to the record's page if the viewer may open it. */
export function RecordName(props: Props): ReactNode {
  const me = useMe();
  // An actor is not always a user, and a manually written event may contain any id.
  if (me === undefined || !isUuid(props.id)) return props.id;
  return isOperator(me) ? <ForOperator {...props} /> : <ForTenant {...props} permissions={me.permissions} />;
}

function ForTenant({ id, kind, permissions }: Props & { readonly permissions: readonly string[] }): ReactNode {
  const { names, to }: Kind = KINDS[kind];
  const name = <NameOf id={id} source={names} />;
  if (to === undefined || (names.permission !== undefined && !permissions.includes(names.permission))) return name;
  return (
    <Link params={{ id }} to={to}>
      {name}
    </Link>
  );
}

/** Number of entries in which a name is searched. */
const MOST_ENTRIES = 100;

/** Names of a tenant's records, from the latest of their entries in the audit log that contains a name. */
const recordedNames = (entity: RecordKind, tenantId: string): Names => ({
  key: ['audit', 'names', tenantId, entity],
  nameOf: async (entityId, signal) => {
    const { items } = await latestEntries(MOST_ENTRIES, { entity, entityId, tenantId }, signal);
    return items.map(recordNameIn).find((name) => name !== undefined) ?? entityId;
  },
});

/** Operators can read a tenant's history and audit log, but not its records. */
function ForOperator({ id, kind, tenantId }: Props): ReactNode {
  if (kind === 'user')
    return (
      <Link search={{ userId: id }} to="/audit">
        <NameOf id={id} source={actorNames} />
      </Link>
    );
  if (kind === 'tenant')
    return (
      <Link params={{ id }} to="/tenants/$id">
        <NameOf id={id} source={tenantSource} />
      </Link>
    );
  if (tenantId === undefined || tenantId === PLATFORM) return <code>{id}</code>;
  return (
    <Link params={{ entity: kind, id }} search={{ tenantId }} to="/records/$entity/$id">
      <NameOf id={id} source={recordedNames(kind, tenantId)} />
    </Link>
  );
}

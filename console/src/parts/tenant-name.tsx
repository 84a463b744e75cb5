import type { ReactNode } from 'react';
import { useTenantNames } from '../api/tenants';

/** Whose record it is, by name where that is known. */
export function TenantName({ id }: { id: string }): ReactNode {
  const name = useTenantNames().get(id);
  if (id === 'platform') return 'The platform';
  return name === undefined ? <code>{id}</code> : <span title={id}>{name}</span>;
}

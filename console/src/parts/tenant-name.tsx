import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PLATFORM, PLATFORM_NAME, tenantSource } from '../api/tenants';
import { NameOf } from './name-of';
import { NOTHING } from './nothing';

export const TenantName = ({ id }: { id: string }): ReactNode => <NameOf id={id} source={tenantSource} />;

/** The tenant that a record concerns, with a link to its page. */
export function TenantOf({ id }: { id: string | null }): ReactNode {
  if (id === null) return NOTHING;
  if (id === PLATFORM) return PLATFORM_NAME;
  return (
    <Link params={{ id }} to="/tenants/$id">
      <TenantName id={id} />
    </Link>
  );
}

import type { ReactNode } from 'react';
import { tenantSource } from '../api/tenants';
import { NameOf } from './name-of';

export const TenantName = ({ id }: { id: string }): ReactNode => <NameOf id={id} source={tenantSource} />;

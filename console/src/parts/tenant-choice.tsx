import type { ReactNode } from 'react';
import { tenantSource } from '../api/tenants';
import { RemoteChoice } from './remote-choice';
import { t } from '../messages/catalogue';

type Props = { readonly value: string | undefined; readonly onChange: (id: string | undefined) => void };

export const TenantChoice = ({ value, onChange }: Props): ReactNode => (
  <RemoteChoice className="k-choice" label={t('Tenant')} onChange={onChange} source={tenantSource} value={value} />
);

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditQuery } from '../api/audit';
import { isUuid } from '../api/uuid';
import { actorWords } from './audit-words';
import { t } from '../messages/catalogue';

type Props = {
  readonly entity: 'dead-letter' | 'error-log';
  readonly id: string;
  /** Id of a user or operator, or `system:` followed by the name of a service component. */
  readonly by: string | null;
};

/**
 * Shows who resolved a record. The name comes from the audit log, which contains the names of operators and of all
 * tenants' users.
 */
export function ResolvedBy({ entity, id, by }: Props): ReactNode {
  const userId = by !== null && isUuid(by) ? by : undefined;
  const query = { entity, entityId: id, ...(userId !== undefined && { userId }), pageNumber: 1, pageSize: 1 };
  const entries = useQuery({ ...auditQuery(query), enabled: userId !== undefined });
  if (by === null) return t('the service');
  if (userId === undefined) return actorWords(by);
  return (
    <Link search={{ userId }} title={userId} to="/audit">
      {entries.data?.items[0]?.userName ?? userId}
    </Link>
  );
}

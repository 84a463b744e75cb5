import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMe } from '../api/me';
import { nameQuery, type Names } from './remote-choice';

/** A record's name. While the name is loading, or if it is unavailable, the id is shown. */
export function NameOf({ id, source }: { id: string; source: Names }): ReactNode {
  const permissions = useMe()?.permissions ?? [];
  const enabled = source.permission === undefined || permissions.includes(source.permission);
  const { data } = useQuery({ ...nameQuery(source, id), enabled });
  return data === undefined ? <code>{id}</code> : <span title={id}>{data}</span>;
}

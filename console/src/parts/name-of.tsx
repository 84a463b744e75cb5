import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nameQuery, type Source } from './remote-choice';

/** A record's name. Shows the id while the name is loading, and if the name is unavailable. */
export function NameOf({ id, source }: { id: string; source: Source }): ReactNode {
  const { data } = useQuery(nameQuery(source, id));
  return data === undefined ? <code>{id}</code> : <span title={id}>{data}</span>;
}

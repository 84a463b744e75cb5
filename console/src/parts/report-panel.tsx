import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Shown } from '../api/queries';
import { Day } from './day';
import { Instant } from './instant';
import { Panel } from './panel';
import { ProblemView } from './problem-view';
import { rich } from '../messages/catalogue';

type Covered = { readonly from?: string | null; readonly to?: string | null; readonly asOf?: string | null };

type Props<R> = {
  readonly title: string;
  readonly query: Shown<R>;
  readonly filters: ReactNode;
  readonly exports: ReactNode;
  readonly knownAt: string | undefined;
  readonly covers: (report: R) => Covered;
  readonly children: (report: R) => ReactNode;
};

/** A report with its parameters, its downloads, and its scope. */
export function ReportPanel<R>({ title, query, filters, exports, knownAt, covers, children }: Props<R>): ReactNode {
  const { data, error, refetch } = query;
  return (
    <Panel aside={<div className="k-row-actions k-no-print">{exports}</div>} title={title}>
      {filters}
      {error !== null && <ProblemView error={error} onRetry={refetch} />}
      {data === undefined ? (
        error === null && <Skeleton height={280} />
      ) : (
        <div aria-busy={query.isPlaceholderData}>
          <Coverage {...covers(data)} knownAt={knownAt} />
          {children(data)}
        </div>
      )}
    </Panel>
  );
}

function spanOf(from: string | null | undefined, to: string | null | undefined): ReactNode {
  if (from != null && to != null) return rich('From {from} to {to}', { from: <Day on={from} />, to: <Day on={to} /> });
  if (from != null) return rich('From {day}', { day: <Day on={from} /> });
  return to != null && rich('To {day}', { day: <Day on={to} /> });
}

/** The period or day that a report covers, which also appears in print. */
export const Coverage = ({ from, to, asOf, knownAt }: Covered & { knownAt?: string | undefined }): ReactNode => (
  <p className="k-note">
    {spanOf(from, to)}
    {asOf != null && rich('As of {day}', { day: <Day on={asOf} /> })}
    {knownAt !== undefined && rich(', as recorded up to {instant}', { instant: <Instant at={knownAt} /> })}
  </p>
);

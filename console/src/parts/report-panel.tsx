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

/** A report with its parameters, its downloads, and what it covers. */
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

/** The period or day of a report, which also appears in print. */
const Coverage = ({ from, to, asOf, knownAt }: Covered & { knownAt: string | undefined }): ReactNode => (
  <p className="k-note">
    {from != null && rich('From {day}', { day: <Day on={from} /> })}
    {to != null &&
      rich('{isFirst, select, true {To} other {to}} {day}', { isFirst: String(from == null), day: <Day on={to} /> })}
    {asOf != null && rich('As of {day}', { day: <Day on={asOf} /> })}
    {knownAt !== undefined && rich(', as known at {instant}', { instant: <Instant at={knownAt} /> })}
  </p>
);

import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isOperator, useMe } from '../api/me';
import { PageHeader } from '../parts/page-header';
import { sectionsFor } from '../shell/navigation';
import { OverviewPage } from './overview.page';

/** Start page: the overview for operators, the first permitted page for a tenant's users. */
export function HomePage(): ReactNode {
  const me = useMe();
  if (me === undefined) return null;
  if (isOperator(me)) return <OverviewPage />;
  const first = sectionsFor(me)[0]?.destinations[0];
  if (first) return <Navigate replace to={first.to} />;
  return (
    <PageHeader
      lead="Your permissions do not include any page of this console. Ask an administrator of your tenant for access."
      title="No pages available"
    />
  );
}

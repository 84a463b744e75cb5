import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountQuery, type Account } from '../api/books';
import { useMay } from '../api/me';
import { AccountActions } from '../parts/account-actions';
import { accountTypeWords } from '../parts/account-form';
import { ActiveStatus } from '../parts/active-status';
import { BackLink } from '../parts/back-link';
import { Copied } from '../parts/copied';
import { Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { IN_PLACE } from '../parts/list-search';
import { Money } from '../parts/money';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { StatementPanel } from '../parts/statement-panel';
import { Timeline } from '../parts/timeline';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/accounts/$id');

/** An account with its balance and statement. */
export function LedgerAccountPage(): ReactNode {
  const { id } = route.useParams();
  const { beginDate, endDate, size } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: account, error, isPending, refetch } = useQuery(accountQuery(id));
  const mayWrite = useMay('accounts.write');
  const mayReport = useMay('reports.read');
  return (
    <>
      <PageHeader
        actions={account && mayWrite && <AccountActions account={account} />}
        lead={<BackLink to="/accounts">{t('All accounts')}</BackLink>}
        title={account?.name ?? t('Account')}
      />
      {error !== null && <ProblemView error={error} onRetry={refetch} />}
      {isPending && <Skeleton height={280} />}
      {account !== undefined && (
        <>
          <About account={account} />
          {mayReport && (
            <StatementPanel
              accountId={id}
              as={Money}
              currency={account.currency}
              name={account.name}
              onChange={(period) => void navigate({ search: { ...period, size }, ...IN_PLACE })}
              period={{ beginDate, endDate }}
            />
          )}
          <Timeline entity="account" id={id} />
        </>
      )}
    </>
  );
}

const About = ({ account }: { account: Account }): ReactNode => (
  <Panel aside={<ActiveStatus isActive={account.isActive} />} title={t('Details')}>
    <Facts
      of={[
        [t('Balance'), <Money key="balance" {...account.balance} />],
        [t('Code'), account.code],
        [t('Type'), accountTypeWords(account.type)],
        [t('Created'), <Instant at={account.createdAt} key="created" />],
        [t('Last changed'), <Instant at={account.updatedAt} key="updated" />],
        ['ID', <Copied key="id" value={account.id} what={t('account ID')} />],
      ]}
    />
    <nav aria-label={t('Related pages')} className="k-links">
      <Link search={{ accountId: account.id }} to="/transactions">
        {t('View transactions')}
      </Link>
    </nav>
  </Panel>
);

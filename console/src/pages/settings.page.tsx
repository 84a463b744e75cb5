import { Skeleton } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { meQuery, useMay } from '../api/me';
import { EditDialog, type Version } from '../parts/edit-dialog';
import { Facts } from '../parts/facts';
import { AreaField, OneOfField, type Draft } from '../parts/form';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { StatusBadge } from '../parts/status-badge';
import { t } from '../messages/catalogue';

type Settings = Shapes['SettingsDto'];

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => data(api.GET('/api/settings', { signal })),
});

const versionOf = ({ requireFactor, oidcDomains, revision }: Settings): Version => ({
  values: {
    requireFactor: String(requireFactor),
    oidcDomains: oidcDomains.map(({ issuer, domain }) => `${issuer} ${domain}`).join('\n'),
  },
  revision,
});

const changesOf = ({ requireFactor, oidcDomains }: Draft): Shapes['UpdateSettingsDto'] => ({
  ...(requireFactor !== undefined && { requireFactor: requireFactor === 'true' }),
  ...(oidcDomains !== undefined && {
    oidcDomains: oidcDomains
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([issuer]) => issuer !== '')
      .map(([issuer = '', domain = '']) => ({ issuer, domain })),
  }),
});

const FACTOR_RULES = [
  ['false', t('Optional')],
  ['true', t('Required for owners and administrators')],
] as const;

/** The tenant's sign-in settings. */
export function SettingsPage(): ReactNode {
  const settings = useQuery(settingsQuery);
  const mayWrite = useMay('users.write');
  return (
    <>
      <PageHeader
        actions={mayWrite && settings.data !== undefined && <Edit settings={settings.data} />}
        lead={t('Sign-in rules for this tenant.')}
        title={t('Sign-in settings')}
      />
      {settings.error !== null && <ProblemView error={settings.error} onRetry={settings.refetch} />}
      {settings.isLoading && <Skeleton height={200} />}
      {settings.data !== undefined && <Shown settings={settings.data} />}
    </>
  );
}

const Shown = ({ settings: { requireFactor, oidcDomains, updatedAt } }: { settings: Settings }): ReactNode => (
  <Panel title={t('Sign-in')}>
    <Facts
      of={[
        [
          t('Second factor'),
          requireFactor ? (
            <StatusBadge key="factor" tone="good">
              {t('Required for owners and administrators')}
            </StatusBadge>
          ) : (
            <StatusBadge key="factor" tone="idle">
              {t('Optional')}
            </StatusBadge>
          ),
        ],
        [
          t('Single sign-on'),
          oidcDomains.length === 0
            ? t('Only for users with an invitation')
            : oidcDomains.map(({ issuer, domain }) => (
                <div key={`${issuer} ${domain}`}>
                  <strong>{domain}</strong> <span className="k-nothing">{t('through {issuer}', { issuer })}</span>
                </div>
              )),
        ],
        [t('Last changed'), <Instant at={updatedAt} key="updated" />],
      ]}
    />
  </Panel>
);

function Edit({ settings }: { settings: Settings }): ReactNode {
  const cache = useQueryClient();
  return (
    <EditDialog
      fields={(form) => (
        <>
          <OneOfField
            form={form}
            {...(form.values['requireFactor'] === 'true' && {
              hint: t('Owners and administrators without a factor must add one before they can do anything else.'),
            })}
            label={t('Second factor')}
            name="requireFactor"
            options={FACTOR_RULES}
          />
          <AreaField
            form={form}
            hint={t(
              'One OpenID issuer and e-mail domain per line: https://login.example.com example.com. Users with a verified address in the domain can sign in through the issuer without an invitation.',
            )}
            label={t('Single sign-on')}
            name="oidcDomains"
          />
        </>
      )}
      from={versionOf(settings)}
      label={t('Edit')}
      onDone={() => {
        askAgain(cache, settingsQuery.queryKey);
        askAgain(cache, meQuery.queryKey);
      }}
      reload={async () => versionOf(await cache.query({ ...settingsQuery, staleTime: 0 }))}
      save={(changed, revision) =>
        data(api.PATCH('/api/settings', { params: { header: ifMatch(revision) }, body: changesOf(changed) }))
      }
    />
  );
}

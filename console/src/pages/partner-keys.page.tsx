import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { ownKeysQuery, type IssuedKey, type Key } from '../api/keys';
import { useMe } from '../api/me';
import { isMatch } from '../api/search-kind';
import { ConfirmAction } from '../parts/confirm-action';
import type { LoadedColumn } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { TextField, type Form } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Example, IssuedKeyOnce } from '../parts/issued-key';
import { keyColumns } from '../parts/key-columns';
import { ListPanel } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { strong } from '../parts/strong';
import { RowActions } from '../parts/row-actions';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/partner-keys');

const useRefresh = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    askAgain(cache, ownKeysQuery.queryKey);
  };
};

const useCurrency = (): string => useMe()?.tenant?.currency ?? 'EUR';

/** Keys that allow partners to push sales into this tenant's books. */
export function PartnerKeysPage(): ReactNode {
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  const keys = useQuery(ownKeysQuery);
  return (
    <>
      <PageHeader
        actions={<CreateKey />}
        lead={t('Partner systems use keys to push sales. Each key belongs to one source system.')}
        title={t('Partner keys')}
      />
      <ListPanel
        aside={<ListExport list="integration-keys" />}
        columns={columns}
        empty={
          search === undefined
            ? t('There are no keys yet. A partner needs a key to push sales.')
            : t('No keys match this search.')
        }
        filters={
          <FilterBar>
            <SearchField hint={t("Name or partner's system")} onChange={set('search')} value={search} />
          </FilterBar>
        }
        keyOf={({ id }) => id}
        label={t('Partner keys')}
        query={keys}
        rows={keys.data?.filter(({ name, sourceId }) => isMatch(`${name} ${sourceId}`, search))}
        title={t('Keys')}
      />
      <Panel title={t('For the partner')}>
        <Example currency={useCurrency()} keyText={`<${t('the key')}>`} />
      </Panel>
    </>
  );
}

const columns: readonly LoadedColumn<Key>[] = [
  ...keyColumns,
  { key: 'actions', header: t('Actions'), cell: (key) => key.revokedAt === null && <Actions integrationKey={key} /> },
];

const KeyFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <TextField
      autoFocus
      form={form}
      hint={t('Describes the partner and where the key is used.')}
      label={t('Name')}
      name="name"
      required
    />
    <TextField
      form={form}
      hint={t(
        "Letters, digits, periods, hyphens and underscores. The source is part of every sale's identifier, so keep it when you replace the key.",
      )}
      label={t("Partner's system (source)")}
      name="sourceId"
      required
    />
    <TextField
      form={form}
      hint={t('1 to 60. Platform operators can allow more.')}
      label={t('Requests per minute')}
      name="rateLimit"
      type="number"
    />
    <TextField
      form={form}
      hint={t('In your time zone. Leave empty for a key that does not expire.')}
      label={t('Expires')}
      name="expiresAt"
      type="datetime-local"
    />
  </>
);

function CreateKey(): ReactNode {
  const refresh = useRefresh();
  const currency = useCurrency();
  return (
    <FormDialog
      act={({ name = '', sourceId = '', rateLimit = '', expiresAt = '' }, header) =>
        data(
          api.POST('/api/integration-keys', {
            params: { header },
            body: {
              ...{ name, sourceId, rateLimit: Number(rateLimit) },
              ...(expiresAt !== '' && { expiresAt: new Date(expiresAt).toISOString() }),
            },
          }),
        )
      }
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <KeyFields form={form} />}
      icon="plus"
      initial={{ name: '', sourceId: '', rateLimit: '60', expiresAt: '' }}
      isOutcomeKept
      label={t('Create a key')}
      onDone={refresh}
      outcome={(issued, close) => <IssuedKeyOnce close={close} currency={currency} issued={issued} />}
    />
  );
}

function Actions({ integrationKey: { id, name } }: { integrationKey: Key }): ReactNode {
  const refresh = useRefresh();
  const currency = useCurrency();
  const path = { params: { path: { id } } };
  return (
    <RowActions about={name}>
      <FormDialog<IssuedKey>
        about={name}
        act={({ overlapHours }) =>
          data(api.POST('/api/integration-keys/{id}/rotate', { ...path, body: { overlapHours: Number(overlapHours) } }))
        }
        fields={(form) => (
          <TextField
            autoFocus
            form={form}
            hint={t(
              '0 to 168. The current secret remains valid for this long. Enter 0, for example after a leak, to make it expire within a second.',
            )}
            label={t('Overlap in hours')}
            name="overlapHours"
            type="number"
          />
        )}
        icon="refresh"
        initial={{ overlapHours: '24' }}
        isOutcomeKept
        label={t('Rotate')}
        lead={rich(
          '<strong>{name}</strong> gets a new secret. After the overlap, requests that use the current secret are rejected with status 401.',
          { name, strong },
        )}
        onDone={refresh}
        outcome={(issued, close) => <IssuedKeyOnce close={close} currency={currency} issued={issued} />}
      />
      <ConfirmAction
        about={name}
        act={() => data(api.DELETE('/api/integration-keys/{id}', path))}
        icon="close"
        isDangerous
        label={t('Revoke')}
        onDone={refresh}
      >
        {rich(
          '<strong>{name}</strong> is revoked permanently within a second. Requests that use this key are then rejected with status 401. Existing sales are kept.',
          { name, strong },
        )}
      </ConfirmAction>
    </RowActions>
  );
}

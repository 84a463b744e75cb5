import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { categorySource } from '../api/books';
import { api, data, ifMatch } from '../api/client';
import { useMay } from '../api/me';
import { ruleQuery, rulesQuery, type Rule } from '../api/rules';
import { ApplyRule } from '../parts/apply-rule';
import { ConfirmAction } from '../parts/confirm-action';
import { CreateRule } from '../parts/create-rule';
import type { Column } from '../parts/data-table';
import { EditDialog } from '../parts/edit-dialog';
import { ListExport } from '../parts/export-button';
import { count } from '../parts/figures';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { RemoteChoice } from '../parts/remote-choice';
import { ruleChanges, RuleFields, ruleVersion } from '../parts/rule-form';
import { conditionsOf, RuleStatus, SOURCES, sourceWords } from '../parts/rule-words';
import type { RulesFilters } from '../routes/tenant-filters';
import { strong } from '../parts/strong';
import { RowActions } from '../parts/row-actions';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/rules');

const useRefresh = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    askAgain(cache, ['rules']);
  };
};

const shown: readonly Column<Rule>[] = [
  {
    key: 'rule',
    isWide: true,
    header: t('Conditions'),
    cell: (rule) => (
      <>
        {conditionsOf(rule)}
        {rule.notes !== null && <div className="k-nothing">{rule.notes}</div>}
      </>
    ),
  },
  { key: 'category', header: t('Category'), cell: ({ categoryName }) => <strong>{categoryName}</strong> },
  { key: 'priority', narrow: 'hidden', header: t('Priority'), numeric: true, cell: ({ priority }) => count(priority) },
  { key: 'source', isExtra: true, header: t('Source'), cell: ({ source }) => sourceWords(source) },
  {
    key: 'hits',
    narrow: 'hidden',
    header: t('Matches'),
    cell: ({ hitCount }) => t('{hitCount, plural, one {# time} other {# times}}', { hitCount }),
  },
  {
    key: 'matched',
    isExtra: true,
    header: t('Last match'),
    cell: ({ lastMatchedAt }) => <Instant as="relative" at={lastMatchedAt} />,
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: ({ isEnabled }) => <RuleStatus isEnabled={isEnabled} /> },
];

const STATES = [
  ['true', t('Enabled')],
  ['false', t('Disabled')],
] as const;

/** Rules that assign categories to transactions. */
export function RulesPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const { isEnabled, ...rest } = filters;
  const query = { ...rest, ...(isEnabled !== undefined && { isEnabled: isEnabled === 'true' }) };
  const mayWrite = useMay('categories.write');
  const refresh = useRefresh();
  const isFiltered = Object.keys(filters).length > 0;
  const columns: readonly Column<Rule>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (rule) => <Actions rule={rule} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateRule onDone={refresh} />}
        lead={rich(
          "The matching rule with the highest priority sets the category of a transaction that has none. Rules never override a user's choice. <link>Test rules</link>, <link2>applied rules</link2>, <link3>categories</link3>",
          {
            link: (words) => <Link to="/rules/bench">{words}</Link>,
            link2: (words) => <Link to="/rules/applications">{words}</Link>,
            link3: (words) => <Link to="/categories">{words}</Link>,
          },
        )}
        title={t('Category rules')}
      />
      <Listing
        aside={<ListExport list="transaction-categories/rules" query={query} />}
        columns={columns}
        empty={
          isFiltered
            ? t('No rules match these filters.')
            : t('There are no rules. Transactions are not categorized automatically.')
        }
        label={t('Category rules')}
        query={(page) => rulesQuery(query, page)}
        filters={<Filters filters={filters} />}
        title={t('All rules')}
      />
    </>
  );
}

function Filters({ filters }: { filters: RulesFilters }): ReactNode {
  const set = useSetter<RulesFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Merchant, keyword or notes')} onChange={set('search')} value={filters.search} />
      <RemoteChoice
        className="k-choice"
        label={t('Category')}
        onChange={set('categoryId')}
        source={categorySource}
        value={filters.categoryId}
      />
      <Choice label={t('Source')} onChange={set('source')} options={SOURCES} value={filters.source} />
      <Choice label={t('Status')} onChange={set('isEnabled')} options={STATES} value={filters.isEnabled} />
    </FilterBar>
  );
}

function Actions({ rule }: { rule: Rule }): ReactNode {
  const { id, isEnabled } = rule;
  const cache = useQueryClient();
  const refresh = useRefresh();
  const path = { id };
  const about = conditionsOf(rule);
  return (
    <RowActions about={about}>
      <EditDialog
        about={about}
        fields={(form) => <RuleFields form={form} />}
        from={ruleVersion(rule)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => ruleVersion(await cache.query({ ...ruleQuery(id), staleTime: 0 }))}
        save={(changed, revision) =>
          data(
            api.PATCH('/api/transaction-categories/rules/{id}', {
              params: { path, header: ifMatch(revision) },
              body: ruleChanges(changed),
            }),
          )
        }
      />
      {isEnabled && <ApplyRule rule={rule} />}
      <ConfirmAction
        about={about}
        act={() =>
          data(
            api.PATCH('/api/transaction-categories/rules/{id}/disable', {
              params: { path },
              body: { isEnabled: !isEnabled },
            }),
          )
        }
        icon={isEnabled ? 'pause' : 'play'}
        label={isEnabled ? t('Disable') : t('Enable')}
        onDone={refresh}
      >
        {isEnabled
          ? t('The rule matches no new transactions until it is enabled again. Existing categories do not change.')
          : t('The rule matches new transactions again.')}
      </ConfirmAction>
      <ConfirmAction
        about={about}
        act={() => data(api.DELETE('/api/transaction-categories/rules/{id}', { params: { path } }))}
        icon="close"
        isDangerous
        label={t('Delete')}
        onDone={refresh}
      >
        {rich('Delete the rule <strong>{about}</strong>? Existing categories do not change.', {
          about,
          strong,
        })}
      </ConfirmAction>
    </RowActions>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { categoriesQuery } from '../api/books';
import { api, data, ifMatch } from '../api/client';
import { useMay } from '../api/me';
import { ruleQuery, rulesQuery, type Rule } from '../api/rules';
import { ApplyRule } from '../parts/apply-rule';
import { ConfirmAction } from '../parts/confirm-action';
import { DataTable, type Column } from '../parts/data-table';
import { EditDialog } from '../parts/edit-dialog';
import { count } from '../parts/figures';
import { Choice, FilterBar, IN_PLACE, SearchField, setterOf } from '../parts/filter-bar';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { NEW_RULE, newRule, ruleChanges, RuleFields, ruleVersion } from '../parts/rule-form';
import { conditionsOf, RuleStatus, SOURCES, sourceWords } from '../parts/rule-words';
import type { RulesFilters } from '../routes/tenant-filters';

const PAGE_SIZE = 25;
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
    header: 'Conditions',
    cell: (rule) => (
      <>
        {conditionsOf(rule)}
        {rule.notes !== null && <div className="k-nothing">{rule.notes}</div>}
      </>
    ),
  },
  { key: 'category', header: 'Category', cell: ({ categoryName }) => <strong>{categoryName}</strong> },
  { key: 'priority', header: 'Priority', numeric: true, cell: ({ priority }) => count(priority) },
  { key: 'source', header: 'Source', cell: ({ source }) => sourceWords(source) },
  {
    key: 'hits',
    header: 'Matches',
    cell: ({ hitCount, lastMatchedAt }) => (
      <>
        {count(hitCount)} {hitCount === 1 ? 'time' : 'times'}
        {lastMatchedAt !== null && (
          <div className="k-nothing">
            <Instant as="relative" at={lastMatchedAt} />
          </div>
        )}
      </>
    ),
  },
  { key: 'status', header: 'Status', cell: ({ isEnabled }) => <RuleStatus isEnabled={isEnabled} /> },
];

const STATES = [
  ['true', 'Enabled'],
  ['false', 'Disabled'],
] as const;

/** Rules that assign categories to transactions. */
export function RulesPage(): ReactNode {
  const { page = 1, ...filters } = route.useSearch();
  const { isEnabled, ...rest } = filters;
  const navigate = route.useNavigate();
  const rules = useQuery(
    rulesQuery({
      ...rest,
      ...(isEnabled !== undefined && { isEnabled: isEnabled === 'true' }),
      page,
      limit: PAGE_SIZE,
    }),
  );
  const mayWrite = useMay('categories.write');
  const isFiltered = Object.keys(filters).length > 0;
  const columns: readonly Column<Rule>[] = mayWrite
    ? [...shown, { key: 'actions', header: 'Actions', cell: (rule) => <Actions rule={rule} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateRule />}
        lead={
          <>
            The matching rule with the highest priority sets the category of a transaction that has none. Rules never
            override a user&apos;s choice. <Link to="/rules/bench">Test rules</Link>,{' '}
            <Link to="/rules/applications">applied rules</Link>
          </>
        }
        title="Category rules"
      />
      <Panel title="All rules">
        <Filters filters={filters} />
        <DataTable
          columns={columns}
          empty={
            isFiltered
              ? 'No rules match these filters.'
              : 'There are no rules. Transactions are not categorized automatically.'
          }
          keyOf={({ id }) => id}
          label="Category rules"
          pages={{
            page,
            totalPages: rules.data?.totalPages,
            totalCount: rules.data?.total,
            totalIsCapped: rules.data?.totalIsCapped,
            onPage: (next) => void navigate({ search: { ...filters, page: next } }),
          }}
          query={rules}
          rows={rules.data?.items}
        />
      </Panel>
    </>
  );
}

function Filters({ filters }: { filters: RulesFilters }): ReactNode {
  const navigate = route.useNavigate();
  const categories = useQuery(categoriesQuery);
  const set = setterOf(filters, (search) => void navigate({ search, ...IN_PLACE }));
  return (
    <FilterBar filters={filters} onClear={() => void navigate({ search: {} })}>
      <SearchField hint="Merchant, keyword or notes" onChange={set('search')} value={filters.search} />
      <Choice
        label="Category"
        onChange={set('categoryId')}
        options={(categories.data ?? []).map(({ id, name }) => [id, name] as const)}
        value={filters.categoryId}
      />
      <Choice label="Source" onChange={set('source')} options={SOURCES} value={filters.source} />
      <Choice label="Status" onChange={set('isEnabled')} options={STATES} value={filters.isEnabled} />
    </FilterBar>
  );
}

function CreateRule(): ReactNode {
  return (
    <FormDialog
      act={(values) => data(api.POST('/api/transaction-categories/rules', { body: newRule(values) }))}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <RuleFields form={form} />}
      icon="plus"
      initial={NEW_RULE}
      label="Create a rule"
      lead="A rule needs a merchant or a keyword. It matches transactions that meet all of its conditions."
      onDone={useRefresh()}
    />
  );
}

function Actions({ rule }: { rule: Rule }): ReactNode {
  const { id, isEnabled } = rule;
  const cache = useQueryClient();
  const refresh = useRefresh();
  const path = { id };
  const about = conditionsOf(rule);
  return (
    <div className="k-row-actions">
      <EditDialog
        about={about}
        fields={(form) => <RuleFields form={form} />}
        from={ruleVersion(rule)}
        label="Edit"
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
        label={isEnabled ? 'Disable' : 'Enable'}
        onDone={refresh}
      >
        {isEnabled
          ? 'The rule matches no new transactions until it is enabled again. Existing categories do not change.'
          : 'The rule matches new transactions again.'}
      </ConfirmAction>
      <ConfirmAction
        about={about}
        act={() => data(api.DELETE('/api/transaction-categories/rules/{id}', { params: { path } }))}
        icon="close"
        isDangerous
        label="Delete"
        onDone={refresh}
      >
        Delete the rule: <strong>{about}</strong>? Existing categories do not change.
      </ConfirmAction>
    </div>
  );
}

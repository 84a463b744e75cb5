import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { accountSource } from '../api/books';
import { api, data } from '../api/client';
import type { RuleTest } from '../api/rules';
import { DataTable, type Column } from '../parts/data-table';
import { count } from '../parts/figures';
import { OneOfField, someOf, TextField, useForm, type Draft } from '../parts/form';
import { Icon } from '../parts/icons';
import { Money } from '../parts/money';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { RemoteField } from '../parts/remote-field';
import { NEW_RULE, newRule, RuleFields } from '../parts/rule-form';
import { conditionsOf, reasonWords, sourceWords } from '../parts/rule-words';
import { StatusBadge } from '../parts/status-badge';
import { transactionColumns } from '../parts/transaction-columns';

const SUBJECT: Draft = { description: '', merchant: '', amount: '', direction: '', accountId: '' };
const TEXTS = ['description', 'merchant', 'amount', 'accountId'] as const;
const DIRECTIONS = [
  ['', 'Not specified'],
  ['IN', 'Money in'],
  ['OUT', 'Money out'],
] as const;

function run(subject: Draft, draft: Draft | undefined): Promise<RuleTest> {
  const { direction } = subject;
  return data(
    api.POST('/api/transaction-categories/rules/test', {
      body: {
        ...someOf(subject, TEXTS),
        ...((direction === 'IN' || direction === 'OUT') && { direction }),
        ...(draft !== undefined && { rule: newRule(draft) }),
      },
    }),
  );
}

/** Tests the rules on a sample transaction, optionally together with a draft rule. */
export function RuleBenchPage(): ReactNode {
  const [hasDraft, setHasDraft] = useState(false);
  const test = useMutation({ mutationFn: ([subject, draft]: [Draft, Draft | undefined]) => run(subject, draft) });
  const subject = useForm(SUBJECT, test.error);
  const draft = useForm(NEW_RULE, test.error);
  return (
    <>
      <PageHeader
        lead={
          <>
            Enter a transaction to see which rule would set its category and why the other rules would not. Nothing is
            saved. <Link to="/rules">All rules</Link>
          </>
        }
        title="Test rules"
      />
      <Panel title="Transaction">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            test.mutate([subject.values, hasDraft ? draft.values : undefined]);
          }}
        >
          <Stack gap="sm">
            <div className="k-fields">
              <TextField form={subject} label="Description" name="description" />
              <TextField form={subject} label="Customer's name" name="merchant" />
              <TextField form={subject} hint="For example, 1250.00" label="Amount" name="amount" />
              <OneOfField form={subject} label="Direction" name="direction" options={DIRECTIONS} />
              <RemoteField form={subject} label="Account" name="accountId" source={accountSource} />
            </div>
            <Switch
              checked={hasDraft}
              label="Include a new rule"
              onChange={({ currentTarget }) => {
                setHasDraft(currentTarget.checked);
              }}
            />
            {hasDraft && (
              <fieldset className="k-fieldset">
                <legend>New rule</legend>
                <RuleFields form={draft} prefix="rule." />
              </fieldset>
            )}
            {test.error !== null && <ProblemView error={test.error} />}
            <Group>
              <Button leftSection={<Icon name="play" size={16} />} loading={test.isPending} type="submit">
                Test
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      <div aria-live="polite">{test.data !== undefined && <Result result={test.data} />}</div>
    </>
  );
}

type Candidate = RuleTest['candidates'][number];

const candidateColumns = (winner: string | undefined): readonly Column<Candidate>[] => [
  {
    key: 'outcome',
    header: 'Outcome',
    cell: ({ rule, matched }) => {
      if (matched && rule.id === winner) return <StatusBadge tone="good">Chosen</StatusBadge>;
      return matched ? (
        <StatusBadge tone="busy">Matches with a lower priority</StatusBadge>
      ) : (
        <StatusBadge tone="idle">Does not match</StatusBadge>
      );
    },
  },
  { key: 'when', header: 'Rule', cell: ({ rule }) => conditionsOf(rule) },
  { key: 'then', header: 'Category', cell: ({ rule }) => rule.categoryName },
  { key: 'priority', header: 'Priority', numeric: true, cell: ({ rule }) => count(rule.priority) },
  { key: 'source', header: 'Source', cell: ({ rule }) => sourceWords(rule.source) },
  {
    key: 'why',
    header: 'Unmet conditions',
    cell: ({ reasons }) =>
      reasons.length === 0 ? <span className="k-nothing">All conditions met</span> : reasonWords(reasons),
  },
];

const Result = ({ result }: { result: RuleTest }): ReactNode => (
  <>
    {result.matched ? (
      <Alert
        icon={<Icon name="check" />}
        mb="md"
        role="status"
        title={`Category: “${result.category?.name ?? ''}”`}
        variant="outline"
      >
        {result.rule && <>Conditions met: {conditionsOf(result.rule)}.</>}
      </Alert>
    ) : (
      <Alert icon={<Icon name="dash" />} mb="md" role="status" title="No category" variant="outline">
        No rule matches.
      </Alert>
    )}
    <Panel
      aside={
        <Text c="dimmed" size="sm">
          Normalized text: <code>{result.normalizedText === '' ? '(nothing)' : result.normalizedText}</code>
        </Text>
      }
      title="Evaluated rules"
    >
      <DataTable
        columns={candidateColumns(result.rule?.id)}
        empty="There are no enabled rules."
        keyOf={({ rule }) => rule.id}
        label="Tested rules"
        rows={result.candidates}
      />
    </Panel>
    {result.sample !== undefined && <Sample result={result} />}
  </>
);

type Sampled = NonNullable<RuleTest['sample']>[number];
const sampleColumns: readonly Column<Sampled>[] = [
  ...transactionColumns,
  { key: 'who', header: 'Customer', cell: ({ customerName }) => customerName },
  {
    key: 'now',
    header: 'Current category',
    cell: ({ categoryName }) => categoryName ?? <span className="k-nothing">None</span>,
  },
  {
    key: 'amount',
    header: 'Amount',
    numeric: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];

const Sample = ({
  result: { sample = [], sampleCount = 0, sampledTransactions = 0 },
}: {
  result: RuleTest;
}): ReactNode => (
  <Panel title="Transactions that the new rule matches">
    <p className="k-note">
      {count(sampleCount)} of the newest {count(sampledTransactions)} recorded transactions. Recorded transactions keep
      their categories.
    </p>
    <DataTable
      columns={sampleColumns}
      empty="The rule matches no recorded transactions."
      keyOf={({ id }) => id}
      label="Recorded transactions"
      rows={sample}
    />
  </Panel>
);

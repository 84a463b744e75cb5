import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { accountSource } from '../api/books';
import { api, data } from '../api/client';
import type { RuleTest } from '../api/rules';
import { DataTable, type Column } from '../parts/data-table';
import { count } from '../parts/figures';
import { AmountField, OneOfField, someOf, TextField, useForm, withAmounts, type Draft } from '../parts/form';
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
import { rich, t } from '../messages/catalogue';

const SUBJECT: Draft = { description: '', merchant: '', amount: '', direction: '', accountId: '' };
const TEXTS = ['description', 'merchant', 'amount', 'accountId'] as const;
const DIRECTIONS = [
  ['', t('Not specified')],
  ['IN', t('Money in')],
  ['OUT', t('Money out')],
] as const;

function run(subject: Draft, draft: Draft | undefined): Promise<RuleTest> {
  const { direction } = subject;
  return data(
    api.POST('/api/transaction-categories/rules/test', {
      body: {
        ...someOf(withAmounts(subject, ['amount']), TEXTS),
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
        lead={rich(
          'Enter a transaction to see which rule would set its category and why the other rules would not. Nothing is saved. <link>All rules</link>',
          { link: (words) => <Link to="/rules">{words}</Link> },
        )}
        title={t('Test rules')}
      />
      <Panel title={t('Transaction')}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            test.mutate([subject.values, hasDraft ? draft.values : undefined]);
          }}
        >
          <Stack gap="sm">
            <div className="k-fields">
              <TextField form={subject} label={t('Description')} name="description" />
              <TextField form={subject} label={t("Customer's name")} name="merchant" />
              <AmountField form={subject} label={t('Amount')} name="amount" />
              <OneOfField form={subject} label={t('Direction')} name="direction" options={DIRECTIONS} />
              <RemoteField form={subject} label={t('Account')} name="accountId" source={accountSource} />
            </div>
            <Switch
              checked={hasDraft}
              label={t('Include a new rule')}
              onChange={({ currentTarget }) => {
                setHasDraft(currentTarget.checked);
              }}
            />
            {hasDraft && (
              <fieldset className="k-fieldset">
                <legend>{t('New rule')}</legend>
                <RuleFields form={draft} prefix="rule." />
              </fieldset>
            )}
            {test.error !== null && <ProblemView error={test.error} />}
            <Group>
              <Button leftSection={<Icon name="play" size={16} />} loading={test.isPending} type="submit">
                {t('Test')}
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
    narrow: 'end',
    header: t('Outcome'),
    cell: ({ rule, matched }) => {
      if (matched && rule.id === winner) return <StatusBadge tone="good">{t('Chosen')}</StatusBadge>;
      return matched ? (
        <StatusBadge tone="busy">{t('Matches with a lower priority')}</StatusBadge>
      ) : (
        <StatusBadge tone="idle">{t('Does not match')}</StatusBadge>
      );
    },
  },
  { key: 'when', narrow: 'title', header: t('Rule'), cell: ({ rule }) => conditionsOf(rule) },
  { key: 'then', header: t('Category'), cell: ({ rule }) => rule.categoryName },
  { key: 'priority', header: t('Priority'), numeric: true, cell: ({ rule }) => count(rule.priority) },
  { key: 'source', narrow: 'hidden', header: t('Source'), cell: ({ rule }) => sourceWords(rule.source) },
  {
    key: 'why',
    header: t('Unmet conditions'),
    cell: ({ reasons }) =>
      reasons.length === 0 ? <span className="k-nothing">{t('All conditions met')}</span> : reasonWords(reasons),
  },
];

const Result = ({ result }: { result: RuleTest }): ReactNode => (
  <>
    {result.matched ? (
      <Alert
        icon={<Icon name="check" />}
        mb="md"
        role="status"
        title={t('Category: “{name}”', { name: result.category?.name ?? '' })}
        variant="outline"
      >
        {result.rule && t('Conditions met: {rule}.', { rule: conditionsOf(result.rule) })}
      </Alert>
    ) : (
      <Alert icon={<Icon name="dash" />} mb="md" role="status" title={t('No category')} variant="outline">
        {t('No rule matches.')}
      </Alert>
    )}
    <Panel
      aside={
        <Text c="dimmed" size="sm">
          {rich('Normalized text: <code>{normalizedText}</code>', {
            normalizedText: result.normalizedText === '' ? t('(nothing)') : result.normalizedText,
            code: (words) => <code>{words}</code>,
          })}
        </Text>
      }
      title={t('Evaluated rules')}
    >
      <DataTable
        columns={candidateColumns(result.rule?.id)}
        empty={t('There are no enabled rules.')}
        keyOf={({ rule }) => rule.id}
        label={t('Tested rules')}
        rows={result.candidates}
      />
    </Panel>
    {result.sample !== undefined && <Sample result={result} />}
  </>
);

type Sampled = NonNullable<RuleTest['sample']>[number];
const sampleColumns: readonly Column<Sampled>[] = [
  ...transactionColumns,
  { key: 'who', header: t('Customer'), cell: ({ customerName }) => customerName },
  {
    key: 'now',
    header: t('Current category'),
    cell: ({ categoryName }) => categoryName ?? <span className="k-nothing">{t('None')}</span>,
  },
  {
    key: 'amount',
    narrow: 'end',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];

const Sample = ({
  result: { sample = [], sampleCount = 0, sampledTransactions = 0 },
}: {
  result: RuleTest;
}): ReactNode => (
  <Panel title={t('Transactions that the new rule matches')}>
    <p className="k-note">
      {t(
        '{sampleCount} of the newest {sampledTransactions} recorded transactions. Recorded transactions keep their categories.',
        { sampleCount: count(sampleCount), sampledTransactions: count(sampledTransactions) },
      )}
    </p>
    <DataTable
      columns={sampleColumns}
      empty={t('The rule matches no recorded transactions.')}
      keyOf={({ id }) => id}
      label={t('Recorded transactions')}
      rows={sample}
    />
  </Panel>
);

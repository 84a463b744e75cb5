import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { applyRule, previewRule, type Rule, type RulePreview } from '../api/rules';
import { DataTable, type Column } from './data-table';
import { count } from './figures';
import { given, OneOfField, TextField, type Draft } from './form';
import { FormDialog } from './form-dialog';
import { Money } from './money';
import { NOTHING } from './nothing';
import { ProblemView } from './problem-view';
import { conditionsOf } from './rule-words';
import { transactionColumns } from './transaction-columns';
import { strong } from './strong';
import { rich, t } from '../messages/catalogue';

const REPLACE = [
  ['NONE', t('Transactions without a category')],
  ['RULE_SET', t('Include transactions categorized by other rules')],
] as const;

type Body = Parameters<typeof applyRule>[1];
export type Tested = { readonly body: Body; readonly preview: RulePreview };

function bodyOf(values: Draft): Body {
  const [dateFrom, dateTo] = [given(values, 'dateFrom'), given(values, 'dateTo')];
  return {
    replace: values['replace'] === 'RULE_SET' ? 'RULE_SET' : 'NONE',
    ...(dateFrom !== undefined && { dateFrom }),
    ...(dateTo !== undefined && { dateTo }),
  };
}

/** Tests a rule on past transactions and applies it if the user approves the result. */
export function ApplyRule({ rule }: { rule: Rule }): ReactNode {
  return (
    <FormDialog
      about={conditionsOf(rule)}
      act={async (values): Promise<Tested> => {
        const body = bodyOf(values);
        return { body, preview: await previewRule(rule.id, body) };
      }}
      fields={(form) => (
        <>
          <div className="k-fields">
            <TextField
              form={form}
              hint={t('Leave empty for no start date.')}
              label={t('From')}
              name="dateFrom"
              type="date"
            />
            <TextField form={form} hint={t('Leave empty for no end date.')} label={t('To')} name="dateTo" type="date" />
          </div>
          <OneOfField form={form} label={t('Transactions to change')} name="replace" options={REPLACE} />
        </>
      )}
      icon="history"
      initial={{ dateFrom: '', dateTo: '', replace: 'NONE' }}
      label={t('Apply to past transactions')}
      lead={t('The next step shows the transactions that would change. Categories chosen by users never change.')}
      outcome={(tested, close) => <Preview close={close} rule={rule} tested={tested} />}
      send={t('Preview')}
      size="xl"
    />
  );
}

type Row = RulePreview['sample'][number];

const columns: readonly Column<Row>[] = [
  ...transactionColumns,
  {
    key: 'who',
    header: t('Customer or account'),
    cell: ({ customerName, accountName }) => customerName ?? accountName ?? NOTHING,
  },
  {
    key: 'category',
    header: t('Current category'),
    cell: ({ categoryName }) => categoryName ?? <span className="k-nothing">{t('None')}</span>,
  },
  {
    key: 'amount',
    narrow: 'end',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount, currency, direction }) => <Money amount={amount} currency={currency} direction={direction} />,
  },
];

type PreviewProps = { readonly rule: Rule; readonly tested: Tested; readonly close: () => void };

/** The changes that a rule would make, and the button that applies the rule. */
export function Preview({ rule, tested: { body, preview }, close }: PreviewProps): ReactNode {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { wouldChange, sample } = preview;
  const apply = useMutation({
    mutationFn: () => applyRule(rule.id, { ...body, dryRun: false }),
    onSuccess: () => {
      askAgain(cache, ['rule-applications']);
      close();
      void navigate({ to: '/rules/applications' });
    },
  });
  return (
    <Stack gap="sm">
      <Text role="status">
        {rich(
          'The category of {wouldChange, plural, one {<strong>#</strong> transaction} other {<strong>#</strong> transactions}} would change to “{categoryName}”.',
          {
            wouldChange,
            strong,
            categoryName: rule.categoryName,
          },
        )}{' '}
        {sample.length < wouldChange && t('The first {sample}:', { sample: count(sample.length) })}
      </Text>
      <DataTable
        columns={columns}
        empty={t('No past transactions match.')}
        keyOf={({ id }) => id}
        label={t('Transactions that would change')}
        rows={sample}
      />
      {apply.error !== null && <ProblemView error={apply.error} />}
      <Group justify="flex-end">
        <Button autoFocus disabled={apply.isPending} onClick={close} variant="default">
          {t('Close')}
        </Button>
        <Button
          disabled={wouldChange === 0}
          loading={apply.isPending}
          onClick={() => {
            apply.mutate();
          }}
        >
          {t('Apply')}
        </Button>
      </Group>
    </Stack>
  );
}

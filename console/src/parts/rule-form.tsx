import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { accountSource, categoriesQuery } from '../api/books';
import type { Shapes } from '../api/client';
import type { Rule } from '../api/rules';
import type { Version } from './edit-dialog';
import { AreaField, cleared, OneOfField, TextField, type Draft, type Form } from './form';
import { ProblemView } from './problem-view';
import { RemoteField } from './remote-field';
import { MATCH_TYPES } from './rule-words';

const CLEARABLE = ['merchant', 'keyword', 'direction', 'amountMin', 'amountMax', 'accountId', 'notes'] as const;

export const NEW_RULE: Draft = {
  ...Object.fromEntries(CLEARABLE.map((name) => [name, ''])),
  categoryId: '',
  matchType: 'CONTAINS',
  priority: '100',
};

export const ruleVersion = (rule: Rule): Version => ({
  values: {
    ...Object.fromEntries(CLEARABLE.map((name) => [name, rule[name] ?? ''])),
    categoryId: rule.categoryId,
    matchType: rule.matchType,
    priority: String(rule.priority),
  },
  revision: rule.revision,
});

/** An emptied priority is sent as null, which the service rejects with an error at the field. */
export const ruleChanges = ({ priority, ...values }: Draft): Shapes['UpdateCategoryRuleDto'] => ({
  ...cleared(values, CLEARABLE),
  ...(priority !== undefined && { priority: priority.trim() === '' ? Number.NaN : Number(priority) }),
});

/** Without a priority the service applies its default. */
export const newRule = ({ priority = '', ...values }: Draft): Shapes['CreateCategoryRuleDto'] => ({
  ...ruleChanges({ ...values, ...(priority.trim() !== '' && { priority }) }),
  categoryId: values['categoryId'] ?? '',
});

const DIRECTIONS = [
  ['', 'In or out'],
  ['IN', 'Money in'],
  ['OUT', 'Money out'],
] as const;

type Props = { readonly form: Form; /** Path prefix of a draft's fields in errors. */ readonly prefix?: string };

/** Conditions of a rule, and its result. All given conditions must hold. */
export function RuleFields({ form: whole, prefix = '' }: Props): ReactNode {
  const categories = useQuery(categoriesQuery);
  const form: Form = { ...whole, fault: (name) => whole.fault(prefix + name) };
  return (
    <>
      {categories.error !== null && <ProblemView error={categories.error} onRetry={categories.refetch} />}
      <div className="k-fields">
        <OneOfField
          form={form}
          label="Category"
          name="categoryId"
          options={[['', 'Choose one'], ...(categories.data ?? []).map(({ id, name }) => [id, name] as const)]}
          required
        />
        <OneOfField form={form} label="Text comparison" name="matchType" options={MATCH_TYPES} />
        <TextField form={form} hint="Compared with the customer's name" label="Merchant" name="merchant" />
        <TextField form={form} hint="Compared with the description" label="Keyword" name="keyword" />
        <OneOfField form={form} label="Direction" name="direction" options={DIRECTIONS} />
        <RemoteField form={form} label="Account" name="accountId" source={accountSource} />
        <TextField form={form} label="Amount from" name="amountMin" />
        <TextField form={form} label="Amount to" name="amountMax" />
        <TextField
          form={form}
          hint="0 to 1000. The matching rule with the highest value applies."
          label="Priority"
          name="priority"
          type="number"
        />
      </div>
      <AreaField form={form} label="Notes" name="notes" />
    </>
  );
}

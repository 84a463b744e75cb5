import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { accountSource, categoriesQuery } from '../api/books';
import type { Shapes } from '../api/client';
import type { Rule } from '../api/rules';
import type { Version } from './edit-dialog';
import { AreaField, OneOfField, TextField, type Draft, type Form } from './form';
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

const isClearable = (name: string): boolean => CLEARABLE.some((each) => each === name);

function valueOf(name: string, typed: string): string | number | null {
  if (name === 'priority') return Number(typed);
  return isClearable(name) && typed.trim() === '' ? null : typed;
}

/** What was typed as the service takes it: an emptied condition is none. */
export const ruleChanges = (values: Draft): Shapes['UpdateCategoryRuleDto'] =>
  Object.fromEntries(Object.entries(values).map(([name, typed]) => [name, valueOf(name, typed)]));

export const newRule = (values: Draft): Shapes['CreateCategoryRuleDto'] => ({
  ...ruleChanges(values),
  categoryId: values['categoryId'] ?? '',
});

const DIRECTIONS = [
  ['', 'In or out'],
  ['IN', 'Money comes in'],
  ['OUT', 'Money goes out'],
] as const;

type Props = { readonly form: Form; /** Of a draft: where the service finds its faults. */ readonly prefix?: string };

/** Conditions of a rule, and what comes of them. All that are given must hold. */
export function RuleFields({ form: whole, prefix = '' }: Props): ReactNode {
  const categories = useQuery(categoriesQuery);
  const form: Form = { ...whole, fault: (name) => whole.fault(prefix + name) ?? whole.fault(name) };
  return (
    <>
      <div className="k-fields">
        <OneOfField
          form={form}
          label="Category"
          name="categoryId"
          options={[['', 'Choose one'], ...(categories.data ?? []).map(({ id, name }) => [id, name] as const)]}
          required
        />
        <OneOfField form={form} label="How texts are compared" name="matchType" options={MATCH_TYPES} />
        <TextField form={form} hint="Compared with the customer's name" label="Merchant" name="merchant" />
        <TextField form={form} hint="Compared with the description" label="Keyword" name="keyword" />
        <OneOfField form={form} label="Direction" name="direction" options={DIRECTIONS} />
        <RemoteField form={form} label="Account" name="accountId" source={accountSource} />
        <TextField form={form} label="Amount from" name="amountMin" />
        <TextField form={form} label="Amount to" name="amountMax" />
        <TextField
          form={form}
          hint="0 to 1000: the highest that matches wins"
          label="Priority"
          name="priority"
          type="number"
        />
      </div>
      <AreaField form={form} label="Notes" name="notes" />
    </>
  );
}

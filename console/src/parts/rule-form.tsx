import type { ReactNode } from 'react';
import { accountSource, categorySource } from '../api/books';
import type { Shapes } from '../api/client';
import type { Rule } from '../api/rules';
import { typedAmount } from './amount';
import type { Version } from './edit-dialog';
import { AmountField, AreaField, cleared, OneOfField, TextField, withAmounts, type Draft, type Form } from './form';
import { RemoteField } from './remote-field';
import { MATCH_TYPES } from './rule-words';
import { t } from '../messages/catalogue';

const AMOUNTS = ['amountMin', 'amountMax'] as const;
const CLEARABLE = ['merchant', 'keyword', 'direction', ...AMOUNTS, 'accountId', 'notes'] as const;

export const NEW_RULE: Draft = {
  ...Object.fromEntries(CLEARABLE.map((name) => [name, ''])),
  categoryId: '',
  matchType: 'CONTAINS',
  priority: '100',
};

export const ruleVersion = (rule: Rule): Version => ({
  values: {
    ...Object.fromEntries(CLEARABLE.map((name) => [name, rule[name] ?? ''])),
    ...Object.fromEntries(AMOUNTS.map((name) => [name, rule[name] === null ? '' : typedAmount(rule[name])])),
    categoryId: rule.categoryId,
    matchType: rule.matchType,
    priority: String(rule.priority),
  },
  revision: rule.revision,
});

/**
 * Returns the changes to a rule. If the user clears the priority, the request contains null, which the service rejects
 * with an error for this field.
 */
export const ruleChanges = ({ priority, ...values }: Draft): Shapes['UpdateCategoryRuleDto'] => ({
  ...cleared(withAmounts(values, AMOUNTS), CLEARABLE),
  ...(priority !== undefined && { priority: priority.trim() === '' ? Number.NaN : Number(priority) }),
});

/** Returns a new rule. If the priority is omitted, the service applies its default. */
export const newRule = ({ priority = '', ...values }: Draft): Shapes['CreateCategoryRuleDto'] => ({
  ...ruleChanges({ ...values, ...(priority.trim() !== '' && { priority }) }),
  categoryId: values['categoryId'] ?? '',
});

const DIRECTIONS = [
  ['', t('In or out')],
  ['IN', t('Money in')],
  ['OUT', t('Money out')],
] as const;

type Props = { readonly form: Form; /** Prefix of the draft's field paths in errors. */ readonly prefix?: string };

/** Fields for a rule's conditions and result. A transaction must meet all the given conditions. */
export function RuleFields({ form: whole, prefix = '' }: Props): ReactNode {
  const form: Form = { ...whole, fault: (name) => whole.fault(prefix + name) };
  return (
    <>
      <div className="k-fields">
        <RemoteField form={form} label={t('Category')} name="categoryId" required source={categorySource} />
        <OneOfField form={form} label={t('Text comparison')} name="matchType" options={MATCH_TYPES} />
        <TextField form={form} hint={t("Compared with the customer's name.")} label={t('Merchant')} name="merchant" />
        <TextField form={form} hint={t('Compared with the description.')} label={t('Keyword')} name="keyword" />
        <OneOfField form={form} label={t('Direction')} name="direction" options={DIRECTIONS} />
        <RemoteField form={form} label={t('Account')} name="accountId" source={accountSource} />
        <AmountField form={form} label={t('Amount from')} name="amountMin" />
        <AmountField form={form} label={t('Amount to')} name="amountMax" />
        <TextField
          form={form}
          hint={t('0 to 1000. The matching rule with the highest priority applies.')}
          label={t('Priority')}
          name="priority"
          type="number"
        />
      </div>
      <AreaField form={form} label={t('Notes')} name="notes" />
    </>
  );
}

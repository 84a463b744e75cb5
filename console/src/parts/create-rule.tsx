import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, data } from '../api/client';
import { previewRule, type Rule } from '../api/rules';
import { Preview, type Tested } from './apply-rule';
import { FormDialog } from './form-dialog';
import { NEW_RULE, newRule, RuleFields } from './rule-form';
import { t } from '../messages/catalogue';

const WITHOUT_CATEGORY = { replace: 'NONE' } as const;

type Made = { readonly rule: Rule; readonly tested: Tested };

/**
 * Returns the changes that a new rule would make to past transactions. If they cannot be determined, returns undefined
 * instead of failing, because the rule already exists.
 */
async function testedRule(id: string): Promise<Made | undefined> {
  try {
    const path = '/api/transaction-categories/rules/{id}';
    const [rule, preview] = await Promise.all([
      data(api.GET(path, { params: { path: { id } } })),
      previewRule(id, WITHOUT_CATEGORY),
    ]);
    return { rule, tested: { body: WITHOUT_CATEGORY, preview } };
  } catch {
    return undefined;
  }
}

/** Creates a rule. If the rule matches past transactions without a category, offers to apply the rule to them. */
export function CreateRule({ onDone }: { onDone: () => void }): ReactNode {
  return (
    <FormDialog
      act={async (values, header) => {
        const { id } = await data(
          api.POST('/api/transaction-categories/rules', { params: { header }, body: newRule(values) }),
        );
        return testedRule(id);
      }}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <RuleFields form={form} />}
      hasOutcome={(made) => made !== undefined && made.tested.preview.wouldChange > 0}
      icon="plus"
      initial={NEW_RULE}
      label={t('Create a rule')}
      lead={t('A rule needs a merchant or a keyword. It matches transactions that meet all of its conditions.')}
      onDone={onDone}
      outcome={(made, close) =>
        made && (
          <Stack gap="sm">
            <Text size="sm">
              {t('The rule has been saved, and applies to new transactions. It also matches these past transactions:')}
            </Text>
            <Preview close={close} {...made} />
          </Stack>
        )
      }
      size="xl"
    />
  );
}

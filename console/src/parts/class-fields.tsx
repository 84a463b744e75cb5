import type { ReactNode } from 'react';
import { branchSource, categorySource, type Transaction } from '../api/books';
import type { Draft, Form } from './form';
import { RemoteField } from './remote-field';
import { t } from '../messages/catalogue';

/**
 * Form values for the branch and the category. If a rule chose the category, the category field is empty, so that the
 * rules choose again.
 */
export const classOf = ({
  branchId,
  categoryId,
  categorizedBy,
}: Pick<Transaction, 'branchId' | 'categoryId' | 'categorizedBy'>): Draft => ({
  branchId: branchId ?? '',
  categoryId: categorizedBy === null ? (categoryId ?? '') : '',
});

/** Fields for the branch and the category of a transaction. */
export const ClassFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <RemoteField form={form} label={t('Branch')} name="branchId" source={branchSource} />
    <RemoteField
      form={form}
      hint={t('Leave empty to let the category rules choose.')}
      label={t('Category')}
      name="categoryId"
      source={categorySource}
    />
  </>
);

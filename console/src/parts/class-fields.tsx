import type { ReactNode } from 'react';
import { branchSource, categorySource, type Transaction } from '../api/books';
import type { Draft, Form } from './form';
import { RemoteField } from './remote-field';
import { t } from '../messages/catalogue';

/** Form values of the branch and the category. The category is empty if a rule chose it, so that rules choose again. */
export const classOf = ({
  branchId,
  categoryId,
  categorizedBy,
}: Pick<Transaction, 'branchId' | 'categoryId' | 'categorizedBy'>): Draft => ({
  branchId: branchId ?? '',
  categoryId: categorizedBy === null ? (categoryId ?? '') : '',
});

/** Branch and category of a transaction. */
export const ClassFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <RemoteField form={form} label={t('Branch')} name="branchId" source={branchSource} />
    <RemoteField
      form={form}
      hint={t('If you choose none, the rules choose one')}
      label={t('Category')}
      name="categoryId"
      source={categorySource}
    />
  </>
);

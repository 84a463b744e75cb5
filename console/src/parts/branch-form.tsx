import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import type { Branch } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { AreaField, cleared, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { t } from '../messages/catalogue';

const CLEARABLE = ['description', 'address', 'phone', 'email'] as const;

export const branchVersion = (branch: Branch): Version => ({
  values: { name: branch.name, ...Object.fromEntries(CLEARABLE.map((name) => [name, branch[name] ?? ''])) },
  revision: branch.revision,
});

export const branchChanges = (values: Draft): Shapes['UpdateBranchDto'] => cleared(values, CLEARABLE);

export const BranchFields = ({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode => (
  <>
    <div className="k-fields">
      {isNew && (
        <TextField
          form={form}
          hint={t('Partners use this code in their sales.')}
          label={t('Code')}
          name="code"
          required
        />
      )}
      <TextField autoFocus form={form} label={t('Name')} name="name" required />
      <TextField form={form} label={t('Phone')} name="phone" type="tel" />
      <TextField form={form} label={t('E-mail')} name="email" type="email" />
      <TextField form={form} label={t('Description')} name="description" />
    </div>
    <AreaField form={form} label={t('Address')} name="address" />
  </>
);

/** Creates a branch. `code` is the initial value of the code field, for a branch to which a sale refers. */
export function CreateBranch({ code = '' }: { code?: string }): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={(values, header) => {
        const { code: own = '', name = '' } = values;
        const body = { code: own, name, ...someOf(values, CLEARABLE) };
        return data(api.POST('/api/branches', { params: { header }, body }));
      }}
      buttonProps={{ variant: 'filled', ...(code === '' && { size: 'sm' }) }}
      fields={(form) => <BranchFields form={form} isNew />}
      icon="plus"
      initial={{ code, name: '', ...Object.fromEntries(CLEARABLE.map((name) => [name, ''])) }}
      label={code === '' ? t('Create a branch') : t('Create the branch {code}', { code })}
      onDone={() => {
        for (const key of ['branches', 'branch-choice', 'sale', 'sales']) askAgain(cache, [key]);
      }}
      send={t('Create')}
    />
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { branchesQuery, branchSource } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import { useMay } from '../api/me';
import { GRADES, rolesQuery, type User } from '../api/people';
import type { Version } from './edit-dialog';
import { cleared, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { chosenIn, joined, ManyOfField } from './many-of-field';
import { ProblemView } from './problem-view';
import { RemoteField } from './remote-field';
import { t } from '../messages/catalogue';

const gradeOf = (value: string | undefined): User['role'] => GRADES.find(([each]) => each === value)?.[0] ?? 'USER';

const CLEARABLE = ['phone', 'branchId'] as const;
const NEW_USER: Draft = {
  ...{ fullName: '', email: '', password: '', phone: '', role: 'USER', roleIds: '' },
  ...{ branchId: '', branchIds: '' },
};

export const useRefreshUsers = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    for (const key of ['users', 'roles', 'me']) askAgain(cache, [key]);
  };
};

export function UserFields({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode {
  const roles = useQuery({ ...rolesQuery, enabled: useMay('roles.read') });
  return (
    <>
      <div className="k-fields">
        <TextField autoFocus form={form} label={t('Name')} name="fullName" required />
        <TextField form={form} label={t('E-mail')} name="email" required type="email" />
        {isNew && (
          <TextField
            autoComplete="new-password"
            form={form}
            hint={t('Give this password to the user, who can change it.')}
            label={t('Password')}
            name="password"
            required
            type="password"
          />
        )}
        <TextField form={form} label={t('Phone')} name="phone" type="tel" />
        <OneOfField form={form} label={t('Access')} name="role" options={GRADES} required />
      </div>
      <RemoteField form={form} label={t('Branch')} name="branchId" source={branchSource} />
      <OtherBranches form={form} />
      {roles.error !== null && <ProblemView error={roles.error} onRetry={roles.refetch} />}
      {form.values['role'] === 'USER' && (
        <ManyOfField
          form={form}
          label={t('Roles')}
          name="roleIds"
          options={(roles.data ?? []).map(({ id, name }) => [id, name] as const)}
        />
      )}
    </>
  );
}

const ALL_BRANCHES = { pageNumber: 1, pageSize: 100 };

function OtherBranches({ form }: { form: Form }): ReactNode {
  const branches = useQuery(branchesQuery(ALL_BRANCHES));
  return (
    <>
      {branches.error !== null && <ProblemView error={branches.error} onRetry={branches.refetch} />}
      {branches.data !== undefined && branches.data.totalCount > 0 && (
        <ManyOfField
          form={form}
          label={t('Other branches')}
          name="branchIds"
          options={branches.data.items.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </>
  );
}

export function CreateUser(): ReactNode {
  return (
    <FormDialog
      act={(values, header) => {
        const { fullName = '', email = '', password = '' } = values;
        const [roleIds, branchIds] = [chosenIn(values['roleIds']), chosenIn(values['branchIds'])];
        const body = { fullName, email, password, role: gradeOf(values['role']), roleIds, branchIds };
        return data(api.POST('/api/users', { params: { header }, body: { ...body, ...someOf(values, CLEARABLE) } }));
      }}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <UserFields form={form} isNew />}
      icon="plus"
      initial={NEW_USER}
      label={t('Create a user')}
      onDone={useRefreshUsers()}
    />
  );
}

export const userVersion = ({ fullName, email, phone, role, roleIds, ...user }: User): Version => ({
  values: {
    ...{ fullName, email, phone: phone ?? '', role, roleIds: joined(roleIds) },
    ...{ branchId: user.branchId ?? '', branchIds: joined(user.branchIds) },
  },
  revision: user.revision,
});

export const userChanges = ({ role, roleIds, branchIds, ...values }: Draft): Shapes['UpdateUserDto'] => ({
  ...cleared(values, CLEARABLE),
  ...(role !== undefined && { role: gradeOf(role) }),
  ...(roleIds !== undefined && { roleIds: chosenIn(roleIds) }),
  ...(branchIds !== undefined && { branchIds: chosenIn(branchIds) }),
});

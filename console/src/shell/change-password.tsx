import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, data } from '../api/client';
import { Outcome } from '../parts/confirm-action';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { t } from '../messages/catalogue';

/** Changes the signed-in user's password. The initial password was chosen by an administrator. */
export const ChangePassword = (): ReactNode => (
  <FormDialog
    act={({ currentPassword = '', newPassword = '' }) =>
      data(api.POST('/api/auth/change-password', { body: { currentPassword, newPassword } }))
    }
    buttonProps={{
      variant: 'subtle',
      color: 'gray',
      c: 'var(--mantine-color-text)',
      size: 'sm',
      fullWidth: true,
      justify: 'flex-start',
      pl: 12,
      pr: 0,
      fw: 400,
    }}
    fields={(form) => (
      <>
        <TextField
          autoComplete="current-password"
          autoFocus
          form={form}
          label={t('Current password')}
          name="currentPassword"
          required
          type="password"
        />
        <TextField
          autoComplete="new-password"
          form={form}
          hint={t('10 to 128 characters.')}
          label={t('New password')}
          name="newPassword"
          required
          type="password"
        />
      </>
    )}
    icon="key"
    initial={{ currentPassword: '', newPassword: '' }}
    label={t('Change password')}
    lead={t('You stay signed in here and are signed out everywhere else.')}
    outcome={(_, close) => (
      <Outcome close={close}>
        <Text size="sm">{t('Your password has been changed.')}</Text>
      </Outcome>
    )}
  />
);

import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Shapes } from '../api/client';
import { t } from '../messages/catalogue';
import { Outcome } from './confirm-action';
import { TextField } from './form';
import { FormDialog } from './form-dialog';

type Props = {
  /** Name of the person whose factors are removed. */
  readonly name: string;
  readonly act: (body: Shapes['RemoveFactorsDto']) => Promise<unknown>;
  readonly onDone: () => void;
};

/** Button that removes all of another person's second factors. */
export const RemoveFactors = ({ name, act, onDone }: Props): ReactNode => (
  <FormDialog
    about={name}
    act={({ reason = '' }) => act({ reason })}
    fields={(form) => <TextField autoFocus form={form} label={t('Reason')} name="reason" required />}
    icon="lock"
    initial={{ reason: '' }}
    isDangerous
    label={t('Remove second factors')}
    lead={t(
      "Do this only if {name} has lost all factors and recovery codes. First, verify this person's identity. All sessions end, and the password alone is enough to sign in until {name} adds a factor.",
      { name },
    )}
    onDone={onDone}
    outcome={(_, close) => (
      <Outcome close={close}>
        <Text size="sm">{t('All second factors for {name} have been removed.', { name })}</Text>
      </Outcome>
    )}
  />
);

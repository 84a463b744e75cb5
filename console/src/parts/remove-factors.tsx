import type { ReactNode } from 'react';
import type { Shapes } from '../api/client';
import { t } from '../messages/catalogue';
import { TextField } from './form';
import { FormDialog } from './form-dialog';

type Props = {
  /** The person who lost the factors. */
  readonly name: string;
  readonly act: (body: Shapes['RemoveFactorsDto']) => Promise<unknown>;
  readonly onDone: () => void;
};

/** Button that removes all second factors of another person. */
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
      'For the loss of all factors and recovery codes; verify the identity of {name} first. All sessions of {name} end. The password alone is then enough to sign in, until a factor is added.',
      { name },
    )}
    onDone={onDone}
  />
);

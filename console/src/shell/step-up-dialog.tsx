import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, data, type Shapes } from '../api/client';
import { KontorError } from '../api/problem';
import { useStepUp } from '../api/step-up';
import { FactorForm } from '../parts/factor-form';
import { ProblemView } from '../parts/problem-view';
import { t } from '../messages/catalogue';

const stepUp = (body: Shapes['StepUpDto']) => data(api.POST('/api/auth/step-up', { body }));

/** Dialog that opens when an operation requires recent proof of identity. The operation then continues. */
export function StepUpDialog(): ReactNode {
  const settle = useStepUp();
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('Close') }}
      closeOnClickOutside={false}
      onClose={() => settle?.(false)}
      opened={settle !== undefined}
      title={t('Confirm your identity')}
      zIndex={300}
    >
      {settle && <Proof settle={settle} />}
    </Modal>
  );
}

function Proof({ settle }: { settle: (isVerified: boolean) => void }): ReactNode {
  const { data: asked, error } = useQuery({
    queryKey: ['step-up'],
    queryFn: () => stepUp({}),
    gcTime: 0,
    staleTime: 0,
  });
  const send = async (proof: Shapes['StepUpDto']): Promise<void> => {
    await stepUp(proof);
    settle(true);
  };
  if (error !== null) return <ProblemView error={error} />;
  if (asked === undefined || !('factorRequired' in asked)) return null;
  if (asked.methods.includes('PASSWORD')) return <PasswordProof send={send} />;
  return (
    <FactorForm
      asked={asked}
      cancel={() => {
        settle(false);
      }}
      send={send}
    />
  );
}

function PasswordProof({ send }: { send: (proof: Shapes['StepUpDto']) => Promise<void> }): ReactNode {
  const [password, setPassword] = useState('');
  const action = useMutation({ mutationFn: send });
  const fault = action.error instanceof KontorError ? action.error.fault('password') : undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate({ password });
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('Your last sign-in was more than ten minutes ago.')}</Text>
        {action.error !== null && fault === undefined && <ProblemView error={action.error} />}
        <PasswordInput
          autoComplete="current-password"
          data-autofocus
          error={fault}
          label={t('Password')}
          onChange={({ currentTarget }) => {
            setPassword(currentTarget.value);
          }}
          required
          value={password}
          visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0 }}
        />
        <Button loading={action.isPending} type="submit">
          {t('Continue')}
        </Button>
      </Stack>
    </form>
  );
}

import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { passkeyAnswer, type FactorProof, type FactorRequired } from '../api/factors';
import { KontorError } from '../api/problem';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

type Props = {
  readonly asked: FactorRequired;
  readonly send: (proof: FactorProof) => Promise<unknown>;
  readonly cancel: () => void;
};

/** Asks for a second factor: a code, a recovery code, or a passkey. */
export function FactorForm({ asked, send, cancel }: Props): ReactNode {
  const { methods, options, factorToken } = asked;
  const action = useMutation({ mutationFn: send });
  const passkey = useMutation({
    mutationFn: async () => send({ factorToken, credential: await passkeyAnswer(options ?? {}) }),
  });
  const error = action.error ?? passkey.error;
  return (
    <Stack gap="sm">
      {error !== null && <ProblemView error={error} title={titleOf(error)} />}
      {options !== null && (
        <Button
          loading={passkey.isPending}
          onClick={() => {
            action.reset();
            passkey.mutate();
          }}
          variant="default"
        >
          {t('Use a passkey')}
        </Button>
      )}
      <CodeForm
        isPending={action.isPending}
        methods={methods}
        send={(proof) => {
          passkey.reset();
          action.mutate({ factorToken, ...proof });
        }}
      />
      <Switch label={t('Back')} onClick={cancel} />
    </Stack>
  );
}

type CodeProps = {
  readonly methods: FactorRequired['methods'];
  readonly isPending: boolean;
  readonly send: (proof: Omit<FactorProof, 'factorToken'>) => void;
};

const WORDS = {
  code: {
    label: t('Code'),
    hint: t('The six-digit code from your authenticator app.'),
    other: t('Use a recovery code'),
  },
  recoveryCode: { label: t('Recovery code'), hint: t('Each recovery code works once.'), other: t('Use a code') },
} as const;

function CodeForm({ methods, isPending, send }: CodeProps): ReactNode {
  const hasBoth = methods.includes('TOTP') && methods.includes('RECOVERY_CODE');
  const [kind, setKind] = useState<keyof typeof WORDS>(methods.includes('TOTP') ? 'code' : 'recoveryCode');
  const [text, setText] = useState('');
  const { label, hint, other } = WORDS[kind];
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send({ [kind]: text });
      }}
    >
      <Stack gap="sm">
        <TextInput
          autoComplete="one-time-code"
          autoFocus
          description={hint}
          label={label}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
          }}
          required
          value={text}
        />
        <Button loading={isPending} type="submit">
          {t('Continue')}
        </Button>
        {hasBoth && (
          <Switch
            label={other}
            onClick={() => {
              setKind(kind === 'code' ? 'recoveryCode' : 'code');
              setText('');
            }}
          />
        )}
      </Stack>
    </form>
  );
}

const titleOf = (error: Error): string | undefined =>
  error instanceof KontorError && error.status === 401 ? t('The code or passkey was not accepted') : undefined;

const Switch = ({ label, onClick }: { label: string; onClick: () => void }): ReactNode => (
  <Text size="sm">
    <Anchor component="button" inherit onClick={onClick} type="button">
      {label}
    </Anchor>
  </Text>
);

import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { encode } from 'uqr';
import { useState, type ReactNode } from 'react';
import { addFactor, addPasskey, confirmFactor, type NewFactor } from '../api/factors';
import { KontorError } from '../api/problem';
import { CopyButton } from './copy-button';
import { DialogFrame } from './dialog-frame';
import { ProblemView } from './problem-view';
import { SecretOnce } from './secret-once';
import { t } from '../messages/catalogue';

/**
 * State of the dialog that adds a factor. Only the dialog's own buttons close it, because the secrets are shown only
 * once.
 */
function useFactorDialog() {
  const cache = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const end = (): void => {
    close();
    // Requests that were rejected because of a missing factor may now succeed.
    void cache.invalidateQueries();
  };
  return { isOpen, open, end };
}

/** Adds an authenticator app. Shows the secret as a QR code, and then asks for the app's first code. */
export function AddApp(): ReactNode {
  const { isOpen, open, end } = useFactorDialog();
  const added = useMutation({ mutationFn: () => addFactor('TOTP') });
  const confirmed = useMutation({ mutationFn: (code: string) => confirmFactor(added.data?.id ?? '', { code }) });
  return (
    <DialogFrame
      icon="plus"
      isHeld={!added.isError}
      isOpen={isOpen}
      label={t('Add an authenticator app')}
      onClose={end}
      onOpen={() => {
        confirmed.reset();
        added.mutate();
        open();
      }}
    >
      {added.error !== null && <ProblemView error={added.error} />}
      {confirmed.data !== undefined && <RecoveryCodes close={end} codes={confirmed.data} />}
      {added.data !== undefined && confirmed.data === undefined && (
        <ConfirmApp
          cancel={end}
          confirm={confirmed.mutate}
          error={confirmed.error}
          factor={added.data}
          isPending={confirmed.isPending}
        />
      )}
    </DialogFrame>
  );
}

type ConfirmProps = {
  readonly factor: NewFactor;
  readonly confirm: (code: string) => void;
  readonly cancel: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
};

function ConfirmApp({ factor: { secret = '', uri = '' }, confirm, cancel, isPending, error }: ConfirmProps): ReactNode {
  const [code, setCode] = useState('');
  const fault = error instanceof KontorError ? error.fault('code') : undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        confirm(code.trim());
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('Scan the code with an authenticator app, or enter the secret in the app.')}</Text>
        <QrCode label={t('QR code for the secret')} text={uri} />
        <Group gap={4}>
          <code className="k-secret" data-testid="secret">
            {secret}
          </code>
          <CopyButton value={secret} what={t('secret')} />
        </Group>
        {error !== null && fault === undefined && <ProblemView error={error} />}
        <TextInput
          autoComplete="one-time-code"
          data-autofocus
          description={t('The six-digit code that the app currently shows.')}
          error={fault}
          inputMode="numeric"
          label={t('Code')}
          onChange={({ currentTarget }) => {
            setCode(currentTarget.value);
          }}
          required
          value={code}
        />
        <Group justify="flex-end">
          <Button disabled={isPending} onClick={cancel} variant="default">
            {t('Cancel')}
          </Button>
          <Button loading={isPending} type="submit">
            {t('Confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Adds a passkey, using the browser's own dialog. */
export function AddPasskey(): ReactNode {
  const { isOpen, open, end } = useFactorDialog();
  const added = useMutation({ mutationFn: addPasskey });
  const start = (): void => {
    added.mutate();
  };
  return (
    <DialogFrame
      icon="key"
      isHeld={!added.isError}
      isOpen={isOpen}
      label={t('Add a passkey')}
      onClose={end}
      onOpen={() => {
        start();
        open();
      }}
    >
      {added.isPending && (
        <Text role="status" size="sm">
          {t("Follow your browser's instructions.")}
        </Text>
      )}
      {added.error !== null && (
        <ProblemView error={added.error} onRetry={start} title={t('The passkey was not added')} />
      )}
      {added.data !== undefined && <RecoveryCodes close={end} codes={added.data} />}
    </DialogFrame>
  );
}

const RecoveryCodes = ({ codes, close }: { codes: readonly string[]; close: () => void }): ReactNode => (
  <SecretOnce
    close={close}
    label={t('Recovery codes')}
    lead={t(
      'You can use each code once instead of your second factor, for example if you lose your phone. These codes replace all earlier codes.',
    )}
    secret={codes.join('\n')}
    what={t('recovery codes')}
  />
);

/** A QR code, drawn dark on light in both color schemes, as scanners expect. */
function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg aria-label={label} className="k-qr" role="img" shapeRendering="crispEdges" viewBox={`0 0 ${size} ${size}`}>
      <path d={path} />
    </svg>
  );
}

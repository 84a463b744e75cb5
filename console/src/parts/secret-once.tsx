import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { Icon } from './icons';
import { t } from '../messages/catalogue';

type Props = {
  /** Name of the secret within a sentence, such as `key`. */
  readonly what: string;
  readonly label: string;
  readonly secret: string;
  /** Tells the user where to store the secret, and why the service cannot show it again. */
  readonly lead: ReactNode;
  readonly close: () => void;
  readonly children?: ReactNode;
};

/** Shows a secret until the user confirms that it has been stored. */
export function SecretOnce({ what, label, secret, lead, close, children }: Props): ReactNode {
  const [isStored, setStored] = useState(false);
  return (
    <Stack gap="sm">
      <Alert icon={<Icon name="key" />} title={t('Shown only once')} variant="outline">
        {lead}
      </Alert>
      <div>
        <Group gap={4}>
          <Text fw={600} size="sm">
            {label}
          </Text>
          <CopyButton value={secret} what={what} />
        </Group>
        <code className="k-secret" data-testid="secret">
          {secret}
        </code>
      </div>
      {children}
      <Checkbox
        checked={isStored}
        label={t('I have stored the {what} in a safe place', { what })}
        onChange={({ currentTarget }) => {
          setStored(currentTarget.checked);
        }}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={close}>
          {t('Done')}
        </Button>
      </Group>
    </Stack>
  );
}

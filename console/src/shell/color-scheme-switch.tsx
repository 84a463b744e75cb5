import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icons';
import { t } from '../messages/catalogue';

/** Switches between light and dark. The system setting applies until the switch is first used. */
export function ColorSchemeSwitch(): ReactNode {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const words = other === 'dark' ? t('Switch to dark colors') : t('Switch to light colors');
  return (
    <ActionIcon
      aria-label={words}
      onClick={() => {
        setColorScheme(other);
      }}
      size="lg"
      title={words}
      variant="default"
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </ActionIcon>
  );
}

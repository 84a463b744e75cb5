import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icons';
import { t } from '../messages/catalogue';

/**
 * Switches between the light and dark color schemes. The system setting applies until the user first uses the switch.
 */
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

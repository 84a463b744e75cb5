import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icons';

/** Switches between light and dark. The system setting applies until the switch is first used. */
export function ColorSchemeSwitch(): ReactNode {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  return (
    <ActionIcon
      aria-label={`Switch to ${other} colours`}
      onClick={() => {
        setColorScheme(other);
      }}
      size="lg"
      title={`Switch to ${other} colours`}
      variant="default"
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </ActionIcon>
  );
}

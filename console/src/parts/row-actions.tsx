import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icons';
import { t } from '../messages/catalogue';

/**
 * Actions on a row of a list. On a narrow screen, a row with several actions shows a button that lists them below the
 * row, because icons without labels cannot be explained where nothing can hover.
 */
export function RowActions({ about, children }: { about: string; children: ReactNode }): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <>
      <ActionIcon
        aria-expanded={isOpen}
        aria-label={t('More actions: {about}', { about })}
        className="k-more-actions"
        onClick={toggle}
        size={24}
        title={t('More actions')}
        variant="default"
      >
        <Icon name="more" size={16} />
      </ActionIcon>
      <div className="k-row-actions" data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  );
}

import { ActionIcon, Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Icon, type IconName } from './icons';
import { columnsShown, columnsToggled, withoutPage } from './list-state';
import { IN_PLACE, useListSearch } from './list-search';
import { useSavedViews } from './saved-views';
import { stringifySearch } from './search-params';
import { t } from '../messages/catalogue';

type Offered = { readonly key: string; readonly header: string; readonly isExtra?: boolean };

/** Controls for a list's saved views and columns, in addition to its filters. */
export const ListTools = ({ columns }: { columns: readonly Offered[] }): ReactNode => (
  <>
    <Views />
    <Columns columns={columns} />
  </>
);

type BoxProps = {
  readonly label: string;
  /** The current choice, which the button shows after the label. */
  readonly current?: string | undefined;
  readonly icon: IconName;
  readonly children: (close: () => void) => ReactNode;
};

/** A button that opens a box with choices. */
function Box({ label, current, icon, children }: BoxProps): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      onChange={toggle}
      opened={isOpen}
      position="bottom-end"
      shadow="md"
      transitionProps={{ duration: 0 }}
      trapFocus
      width={280}
    >
      <Popover.Target>
        <Button leftSection={<Icon name={icon} size={14} />} onClick={toggle} size="xs" variant="default">
          {current === undefined ? label : `${label}: ${current}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="calc(100vw - 24px)">
        {isOpen && children(close)}
      </Popover.Dropdown>
    </Popover>
  );
}

function Columns({ columns }: { columns: readonly Offered[] }): ReactNode {
  const [{ columns: chosen }, change] = useListSearch();
  const shown = columnsShown(columns, chosen);
  return (
    <Box icon="columns" label={t('Columns')}>
      {() => (
        <div className="k-choices">
          {columns.map((column, index) => (
            <Checkbox
              checked={shown.includes(column)}
              disabled={index === 0}
              key={column.key}
              label={column.header}
              onChange={() => {
                change((search) => ({ ...search, columns: columnsToggled(columns, chosen, column.key) }), IN_PLACE);
              }}
              size="md"
            />
          ))}
          {chosen !== undefined && (
            <Button
              onClick={() => {
                change((search) => ({ ...search, columns: undefined }), IN_PLACE);
              }}
              size="compact-sm"
              variant="subtle"
            >
              {t('Default columns')}
            </Button>
          )}
        </div>
      )}
    </Box>
  );
}

function Views(): ReactNode {
  const [search] = useListSearch();
  const { views, save, remove } = useSavedViews();
  const here = stringifySearch(withoutPage(search));
  return (
    <Box current={views.find(({ text }) => text === here)?.name} icon="bookmark" label={t('Views')}>
      {(close) => (
        <>
          <ul aria-label={t('Saved views')} className="k-views">
            <li>
              <Link onClick={close} search={{}} to=".">
                {t('Default view')}
              </Link>
            </li>
            {views.map(({ name, search: to, text }) => (
              <li key={name}>
                <Link aria-current={text === here} onClick={close} search={to} to=".">
                  {name}
                </Link>
                <ActionIcon
                  aria-label={t('Delete the view {name}', { name })}
                  onClick={() => {
                    remove(name);
                  }}
                  size="sm"
                  variant="subtle"
                >
                  <Icon name="close" size={14} />
                </ActionIcon>
              </li>
            ))}
          </ul>
          <SaveView
            onSave={(name) => {
              save(name, here);
              close();
            }}
          />
        </>
      )}
    </Box>
  );
}

const MAX_NAME_LENGTH = 60;

function SaveView({ onSave }: { onSave: (name: string) => void }): ReactNode {
  const [name, setName] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onSave(name.trim());
      }}
    >
      <TextInput
        description={t('Saves the filters, sort order, columns and page size in this browser.')}
        label={t('View name')}
        maxLength={MAX_NAME_LENGTH}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value);
        }}
        size="xs"
        value={name}
      />
      <Button mt="xs" size="xs" type="submit">
        {t('Save')}
      </Button>
    </form>
  );
}

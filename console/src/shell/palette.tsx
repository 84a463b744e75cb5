import { ActionIcon, Button, Kbd, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Me } from '../api/me';
import { findRecords, type Found } from '../api/search-all';
import { Icon } from '../parts/icons';
import { sectionsFor } from './navigation';

const TYPING_MS = 200;
const MOST_PAGES = 6;

const KEYS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [['Ctrl', 'K'], 'Search pages and records'],
  [['/'], 'Focus the search field of a list'],
  [['?'], 'Show this list'],
  [['Esc'], 'Close a dialog'],
  [['Tab'], 'Go to the next field or button'],
];

const isNotTyping = (target: EventTarget | null): boolean =>
  !(target instanceof HTMLElement && target.matches('input, textarea, select'));

/** Search over pages and records (Ctrl-K), and the list of keys (`?`). */
export function Palette({ me }: { me: Me }): ReactNode {
  const [isOpen, search] = useDisclosure(false);
  const [isHelp, help] = useDisclosure(false);
  useHotkeys(
    [
      [
        'mod+K',
        () => {
          if (document.querySelector('[role=dialog]') === null) search.open();
        },
      ],
    ],
    [],
  );
  useHotkeys([
    [
      '?',
      ({ target }) => {
        if (isNotTyping(target) && document.querySelector('[role=dialog]') === null) help.open();
      },
      { usePhysicalKeys: false },
    ],
  ]);
  return (
    <>
      <Button
        leftSection={<Icon name="search" size={16} />}
        onClick={search.open}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        size="xs"
        variant="default"
        visibleFrom="sm"
      >
        Search
      </Button>
      <ActionIcon aria-label="Search" hiddenFrom="sm" onClick={search.open} size="lg" title="Search" variant="default">
        <Icon name="search" />
      </ActionIcon>
      <Modal
        onClose={search.close}
        opened={isOpen}
        size="lg"
        title="Search"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <Finder close={search.close} me={me} />}
      </Modal>
      <Help close={help.close} isOpen={isHelp} />
    </>
  );
}

const Help = ({ isOpen, close }: { isOpen: boolean; close: () => void }): ReactNode => (
  <Modal closeButtonProps={{ 'aria-label': 'Close' }} onClose={close} opened={isOpen} title="Keys">
    <dl className="k-keys">
      {KEYS.map(([keys, words]) => (
        <div key={words}>
          <dt>
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </Modal>
);

/** Pages whose names contain the words, then records. */
function useFound(me: Me, typed: string): { found: readonly Found[]; isSearching: boolean } {
  const words = typed.trim().toLowerCase();
  const [search] = useDebouncedValue(words, TYPING_MS);
  const records = useQuery({
    queryKey: ['search-all', search],
    queryFn: ({ signal }) => findRecords(me, search, signal),
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });
  const pages = sectionsFor(me)
    .flatMap(({ destinations }) => destinations)
    .filter(({ label }) => label.toLowerCase().includes(words))
    .slice(0, MOST_PAGES)
    .map(({ label, to }): Found => ({ kind: 'Page', name: label, link: { to } }));
  const isCurrent = words.length > 1 && search === words;
  return {
    found: [...pages, ...(words.length > 1 ? (records.data ?? []) : [])],
    isSearching: words.length > 1 && (!isCurrent || records.isFetching),
  };
}

function Finder({ me, close }: { me: Me; close: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, isSearching } = useFound(me, typed);
  const router = useRouter();
  const list = useId();
  const at = Math.min(chosen, found.length - 1);
  const go = (entry: Found | undefined): void => {
    if (entry === undefined) return;
    close();
    void router.navigate(entry.link);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) go(found[at]);
    else setChosen((at + step + found.length) % Math.max(1, found.length));
  };
  return (
    <>
      <TextInput
        aria-activedescendant={found.length > 0 ? `${list}-${at}` : undefined}
        aria-controls={list}
        aria-expanded
        aria-label="Search"
        data-autofocus
        leftSection={<Icon name="search" size={16} />}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        placeholder={me.tenant === null ? 'Page, tenant or request ID' : 'Page, customer, sale number or transaction'}
        role="combobox"
        value={typed}
      />
      <Results at={at} found={found} go={go} id={list} />
      <Text c="dimmed" mt="xs" role="status" size="sm">
        {isSearching ? 'Searching…' : found.length === 0 ? 'Nothing found' : ''}
      </Text>
    </>
  );
}

type ResultsProps = {
  readonly id: string;
  readonly found: readonly Found[];
  readonly at: number;
  readonly go: (entry: Found) => void;
};

const Results = ({ id, found, at, go }: ResultsProps): ReactNode => (
  <div aria-label="Results" className="k-found" id={id} role="listbox">
    {found.map((entry, index) => (
      <UnstyledButton
        aria-selected={index === at}
        className="k-found-entry"
        id={`${id}-${index}`}
        key={`${entry.kind} ${entry.name} ${index}`}
        onClick={() => {
          go(entry);
        }}
        role="option"
        tabIndex={-1}
      >
        <span>{entry.name}</span>
        <small>{entry.kind}</small>
      </UnstyledButton>
    ))}
  </div>
);

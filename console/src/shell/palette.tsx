import { ActionIcon, Button, Kbd, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Me } from '../api/me';
import type { Found, Group } from '../api/search-kind';
import { Icon } from '../parts/icons';
import { ProblemView } from '../parts/problem-view';
import { sectionsFor } from './navigation';
import { t } from '../messages/catalogue';

const TYPING_MS = 200;
const MOST_PAGES = 6;

const KEYS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [[t('Ctrl'), 'K'], t('Search pages and records')],
  [['/'], t('Focus the search field of a list')],
  [['?'], t('Show this list')],
  [['Esc'], t('Close a dialog')],
  [['Tab'], t('Go to the next field or button')],
];

const isNotTyping = (target: EventTarget | null): boolean =>
  !(target instanceof HTMLElement && target.matches('input, textarea, select'));

/** Searches pages and records (Ctrl-K), and lists the keyboard shortcuts (`?`). */
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
        rightSection={<Kbd size="xs">{t('Ctrl K')}</Kbd>}
        size="xs"
        variant="default"
        visibleFrom="sm"
      >
        {t('Search')}
      </Button>
      <ActionIcon
        aria-label={t('Search')}
        hiddenFrom="sm"
        onClick={search.open}
        size="lg"
        title={t('Search')}
        variant="default"
      >
        <Icon name="search" />
      </ActionIcon>
      <Modal
        onClose={search.close}
        opened={isOpen}
        size="lg"
        title={t('Search')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {isOpen && <Finder close={search.close} me={me} />}
      </Modal>
      <Help close={help.close} isOpen={isHelp} />
    </>
  );
}

const Help = ({ isOpen, close }: { isOpen: boolean; close: () => void }): ReactNode => (
  <Modal
    closeButtonProps={{ 'aria-label': t('Close') }}
    onClose={close}
    opened={isOpen}
    title={t('Keyboard shortcuts')}
  >
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

type Search = {
  readonly groups: readonly Group[];
  readonly isSearching: boolean;
  /** Error for a record kind that could not be searched. */
  readonly failure: unknown;
  readonly retry: () => unknown;
};

/** Finds pages whose names contain the typed text, and then matching records. */
function useFound(me: Me, typed: string): Search {
  const words = typed.trim();
  const [search] = useDebouncedValue(words, TYPING_MS);
  const open = sectionsFor(me).flatMap(({ destinations }) => destinations);
  const records = useQuery({
    queryKey: ['search-all', search],
    // Loaded on demand, so that pages stay small.
    queryFn: async ({ signal }) => (await import('../api/search-all')).findRecords(me, open, search, signal),
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
  });
  const isCurrent = words.length > 1 && search === words;
  const pages = open
    .filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
    .slice(0, MOST_PAGES)
    .map(({ label, to }): Found => ({ name: label, link: { to } }));
  const groups = [{ label: t('Pages'), found: pages }, ...(words.length > 1 ? (records.data?.groups ?? []) : [])];
  return {
    groups: groups.filter(({ found }) => found.length > 0),
    isSearching: words.length > 1 && (!isCurrent || records.isFetching),
    failure: words.length > 1 ? (records.error ?? records.data?.failures[0]) : undefined,
    retry: records.refetch,
  };
}

function Finder({ me, close }: { me: Me; close: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { groups, isSearching, failure, retry } = useFound(me, typed);
  const found = groups.flatMap((group) => group.found);
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
        aria-label={t('Search')}
        data-autofocus
        leftSection={<Icon name="search" size={16} />}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        placeholder={me.tenant === null ? t('Page, tenant, job or ID') : t('Page, report, record, amount or ID')}
        role="combobox"
        value={typed}
      />
      <Results chosen={found[at]} go={go} groups={groups} id={list} />
      {failure !== undefined && (
        <ProblemView error={failure} onRetry={retry} title={t('Not all records could be searched')} />
      )}
      <Text c="dimmed" mt="xs" role="status" size="sm">
        {isSearching ? t('Searching…') : found.length === 0 && failure === undefined ? t('Nothing found') : ''}
      </Text>
    </>
  );
}

type ResultsProps = {
  readonly id: string;
  readonly groups: readonly Group[];
  readonly chosen: Found | undefined;
  readonly go: (entry: Found) => void;
};

const intoView = (entry: HTMLElement | null): void => {
  entry?.scrollIntoView({ block: 'nearest' });
};

function Results({ id, groups, chosen, go }: ResultsProps): ReactNode {
  const all = groups.flatMap(({ found }) => found);
  return (
    <div aria-label={t('Results')} className="k-found" id={id} role="listbox">
      {groups.map(({ label, found }) => (
        <div aria-label={label} key={label} role="group">
          <small aria-hidden>{label}</small>
          {found.map((entry) => (
            <UnstyledButton
              aria-selected={entry === chosen}
              className="k-found-entry"
              id={`${id}-${all.indexOf(entry)}`}
              key={all.indexOf(entry)}
              onClick={() => {
                go(entry);
              }}
              ref={entry === chosen ? intoView : null}
              role="option"
              tabIndex={-1}
            >
              {entry.name}
            </UnstyledButton>
          ))}
        </div>
      ))}
    </div>
  );
}

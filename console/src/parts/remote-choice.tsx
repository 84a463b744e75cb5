import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { queryOptions, useQuery, type QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { problemOf } from '../api/problem';
import { NAMES_MS } from '../api/queries';
import { Balance, Money } from './money';
import { inSentence, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

/** A record in a chooser's list. */
type Option = {
  readonly id: string;
  readonly name: string;
  readonly code?: string | null;
  readonly type?: string;
  readonly balance?: { readonly amount: string; readonly currency: string };
};

/** Types of customers and of customer accounts, whose balances are shown as debts. */
const CUSTOMERS: readonly (string | undefined)[] = ['COMPANY', 'INDIVIDUAL', 'CUSTOMER'];

const OptionLine = ({ name, code, type, balance }: Option): ReactNode => (
  <span className="k-option">
    <span>{name}</span>
    <small className="k-nothing">{code}</small>
    {balance !== undefined && (
      <small className="k-nothing">
        {CUSTOMERS.includes(type) ? <Balance {...balance} /> : <Money {...balance} />}
      </small>
    )}
  </span>
);

/** Source of names for one kind of record. */
export type Names = {
  readonly key: QueryKey;
  /** Permission required to read the names. Omitted if every user has it. */
  readonly permission?: string;
  /** Loads a record's name. */
  readonly nameOf: (id: string, signal: AbortSignal) => Promise<string>;
};

/** Source of one kind of record for a chooser. */
export type Source = Names & {
  /** Loads the best matches, limited to about twenty. */
  readonly find: (search: string, signal: AbortSignal) => Promise<readonly Option[]>;
};

export const nameQuery = ({ key, nameOf }: Names, id: string) =>
  queryOptions({
    queryKey: [...key, 'name', id],
    queryFn: ({ signal }) => nameOf(id, signal),
    staleTime: NAMES_MS,
  });

const TYPING_MS = 200;

type Props = {
  readonly source: Source;
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly className?: string;
  /** Placeholder shown while nothing is chosen. */
  readonly none?: string;
  readonly required?: boolean;
};

/**
 * Returns the options that a search has found. Results of an earlier search are not offered. Otherwise, the list would
 * change while the user moves through it, and Enter would choose a different option.
 */
function useFound({ key, find }: Source, typed: string) {
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const { data, error, isFetching, isPending } = useQuery({
    queryKey: [...key, 'find', search],
    queryFn: ({ signal }) => find(search, signal),
    staleTime: 10_000,
  });
  const isCurrent = search === typed;
  const options = isCurrent && data ? data : [];
  return { options, isPending, isSearching: !isCurrent || isFetching, problem: error };
}

/** Returns the options that the search has found, and the current selection, which is last while the user types. */
function useOptions(source: Source, value: string | undefined, known: Option | undefined, typed: string) {
  const found = useFound(source, typed);
  const { options } = found;
  const chosen = [...options, ...(known ? [known] : [])].find(({ id }) => id === value);
  const named = useQuery({
    ...nameQuery(source, value ?? ''),
    enabled: value !== undefined && chosen === undefined && !found.isPending,
    retry: false,
  });
  if (value === undefined) return found;
  const kept = chosen ?? { id: value, name: named.data ?? value };
  const others = options.filter(({ id }) => id !== value);
  return { ...found, options: typed === '' ? [kept, ...others] : [...others, kept] };
}

/** Selects one of many records, which the service searches. */
export function RemoteChoice(props: Props): ReactNode {
  const { source, label, value, onChange, none = t('Any') } = props;
  const [typed, setTyped] = useState('');
  const [known, setKnown] = useState<Option>();
  const { options, isSearching, problem } = useOptions(source, value, known, typed);
  return (
    <Select
      checkIconPosition="right"
      className={props.className}
      clearButtonProps={{ 'aria-label': t('Clear {noun}', { noun: inSentence(label) }) }}
      clearable
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      description={props.hint}
      error={props.error ?? (problem === null ? undefined : serviceWords(problemOf(problem).message))}
      classNames={{ dropdown: 'k-options' }}
      // All options are shown, because the service has already filtered them.
      filter={({ options: all }) => all}
      label={label}
      nothingFoundMessage={isSearching ? t('Searching…') : t('No results')}
      onChange={(id) => {
        setKnown(options.find((option) => option.id === id));
        onChange(id ?? undefined);
      }}
      // Enter must not submit the form with the previous selection while the field shows another text.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && typed !== '') event.preventDefault();
      }}
      // The name of the current selection is not used as a search text.
      onSearchChange={(text) => {
        setTyped(options.some(({ id, name }) => id === value && name === text) ? '' : text);
      }}
      placeholder={none}
      renderOption={({ option }) => {
        const found = options.find(({ id }) => id === option.value);
        return found === undefined ? option.label : <OptionLine {...found} />;
      }}
      required={props.required ?? false}
      searchable
      value={value ?? null}
    />
  );
}

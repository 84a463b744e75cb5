import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { Icon } from './icons';

const TYPING_MS = 300;

/** The filters of a list, in one row. What they say stands in the address, so that it can be shared. */
export const FilterBar = ({
  children,
  onClear,
}: {
  children: ReactNode;
  onClear?: (() => void) | undefined;
}): ReactNode => (
  <search className="k-filters">
    {children}
    {onClear !== undefined && (
      <Button leftSection={<Icon name="close" size={14} />} onClick={onClear} size="sm" variant="subtle">
        Clear filters
      </Button>
    )}
  </search>
);

type SearchProps = {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** What is searched. */
  readonly hint: string;
};

/** A search that follows typing; `/` goes to it. */
export function SearchField({ value = '', onChange, hint }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  // The address has changed by something else than this field: a link, or the way back.
  if (shown !== value) {
    setShown(value);
    setTyped(value);
  }
  const tell = useDebouncedCallback((text: string) => {
    setShown(text);
    onChange(text === '' ? undefined : text);
  }, TYPING_MS);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      document.querySelector<HTMLInputElement>('.k-search input')?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => {
      window.removeEventListener('keydown', focus);
    };
  }, []);
  return (
    <TextInput
      className="k-search"
      label="Search"
      leftSection={<Icon name="search" size={16} />}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        tell(currentTarget.value);
      }}
      placeholder={hint}
      type="search"
      value={typed}
    />
  );
}

type ChoiceProps<T extends string> = {
  readonly label: string;
  readonly value: T | undefined;
  readonly options: readonly (readonly [value: T, words: string])[];
  readonly onChange: (value: T | undefined) => void;
};

/** One of some values, or any. */
export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>): ReactNode {
  return (
    <Select
      allowDeselect={false}
      checkIconPosition="right"
      className="k-choice"
      data={[{ value: '', label: 'Any' }, ...options.map(([each, words]) => ({ value: each, label: words }))]}
      label={label}
      onChange={(chosen) => {
        onChange(options.find(([each]) => each === chosen)?.[0]);
      }}
      value={value ?? ''}
    />
  );
}

type DateProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
};

/** A whole day, UTC, as the service counts them. */
export const DateField = ({ label, value, onChange }: DateProps): ReactNode => (
  <TextInput
    className="k-choice"
    label={label}
    onChange={({ currentTarget }) => {
      onChange(currentTarget.value === '' ? undefined : currentTarget.value);
    }}
    type="date"
    value={value?.slice(0, 10) ?? ''}
  />
);

import { Button, Select, TextInput } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Icon } from './icons';
import { useTyped } from './typed';

/** How an address changes whose page stays the same: without a step of its own on the way back, and without scrolling. */
export const IN_PLACE = { replace: true, resetScroll: false } as const;

/** Sets one of several filters. A filter that changes begins at the first page again. */
export const setterOf =
  <F extends object>(filters: F, go: (filters: F) => void) =>
  <K extends keyof F>(name: K) =>
  (value: F[K] | undefined): void => {
    go({ ...filters, [name]: value });
  };

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
export function SearchField({ value, onChange, hint }: SearchProps): ReactNode {
  const [typed, type] = useTyped(value, onChange);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      const isCovered = document.querySelector('[role=dialog]') !== null;
      if (event.key !== '/' || isTyping || isCovered) return;
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
        type(currentTarget.value);
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

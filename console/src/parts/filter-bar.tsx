import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Children, useDeferredValue, useEffect, type ReactNode } from 'react';
import { Icon } from './icons';
import { withoutFilters, withoutPage } from './list-state';
import { IN_PLACE, useListSearch } from './list-search';
import { useTyped } from './typed';
import { t } from '../messages/catalogue';

/** Returns a function that sets one of the filters in the URL. Changing a filter resets the list to its first page. */
export function useSetter<F extends object>(): <K extends keyof F>(name: K) => (value: F[K] | undefined) => void {
  const [, change] = useListSearch();
  return (name) => (value) => {
    change((search) => ({ ...withoutPage(search), [name]: value }), IN_PLACE);
  };
}

type BarProps = {
  readonly children: ReactNode;
  /** Values of the filters. If at least one filter is set, a button clears all filters. */
  readonly filters?: object;
};

/**
 * Filters of a list. Their values are part of the URL, so that users can share a filtered list. Rendering the filter
 * fields is slow, so all except the first are placeholders until the page has been painted.
 */
export function FilterBar({ children, filters = {} }: BarProps): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  const [, change] = useListSearch();
  const isPainted = useDeferredValue(true, false);
  const isSingle = Children.count(children) === 1;
  const { search, ...others } = filters as Readonly<Record<string, unknown>>;
  const active = Object.values(others).filter((value) => value !== undefined).length;
  return (
    <search className="k-filters" data-closed={(!isOpen && !isSingle) || undefined}>
      {/* Calling `map` before and after painting keeps the keys stable, so that the first field keeps its text. */}
      {Children.map(children, (child, at) => (isPainted || at === 0 ? child : <div className="k-choice k-coming" />))}
      {!isSingle && (
        <Button
          aria-expanded={isOpen}
          className="k-more-filters"
          leftSection={<Icon name="rules" size={16} />}
          onClick={toggle}
          variant="default"
        >
          {active === 0 ? t('Filters') : t('Filters ({active})', { active })}
        </Button>
      )}
      {(active > 0 || search !== undefined) && (
        <Button
          className="k-clear-filters"
          leftSection={<Icon name="close" size={14} />}
          onClick={() => {
            change(withoutFilters);
          }}
          size="sm"
          variant="subtle"
        >
          {t('Clear filters')}
        </Button>
      )}
    </search>
  );
}

type SearchProps = {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** Names of the searched fields. */
  readonly hint: string;
};

/** Search field that updates as the user types. The `/` key focuses it. */
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
      label={t('Search')}
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
  /** Words for the absence of a value. Default: "Any". */
  readonly none?: string;
};

/** Selects one of several values, or none of them. */
export function Choice<T extends string>({ label, value, options, onChange, none }: ChoiceProps<T>): ReactNode {
  return (
    <Select
      allowDeselect={false}
      checkIconPosition="right"
      className="k-choice"
      data={[
        { value: '', label: none ?? t('Any') },
        ...options.map(([each, words]) => ({ value: each, label: words })),
      ]}
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
  /** First and last day that the calendar offers. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
};

/** Fields that belong together, such as the first and the last day. They stay next to each other. */
export const Pair = ({ children }: { children: ReactNode }): ReactNode => <div className="k-pair">{children}</div>;

/** Field for a calendar day. */
export const DateField = ({ label, value, onChange, min, max }: DateProps): ReactNode => (
  <TextInput
    className="k-choice"
    label={label}
    max={max}
    min={min}
    onChange={({ currentTarget }) => {
      onChange(currentTarget.value === '' ? undefined : currentTarget.value);
    }}
    type="date"
    value={value?.slice(0, 10) ?? ''}
  />
);

type Days = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };

/** Filters for the first and the last day of a list. */
export function DayRange({ filters: { dateFrom, dateTo } }: { filters: Days }): ReactNode {
  const set = useSetter<Days>();
  return (
    <Pair>
      <DateField label={t('From')} max={dateTo} onChange={set('dateFrom')} value={dateFrom} />
      <DateField label={t('To')} min={dateFrom} onChange={set('dateTo')} value={dateTo} />
    </Pair>
  );
}

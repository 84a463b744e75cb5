import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ReportFilters } from '../routes/tenant-filters';
import { ExportButton, useFileName } from './export-button';
import { Choice, DateField, FilterBar, Pair } from './filter-bar';
import { filtersIn } from './list-state';
import { stringifySearch } from './search-params';
import { useZone } from './zone';
import { dayAfter, instantOf, today, wallClockOf } from './zone-days';
import { t } from '../messages/catalogue';

/** Scope of a report: a period, or the books up to and including a day. */
export type Scope = 'period' | 'day';

const MONTHS = 12;
const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Returns the first day of a month. A month below 1 or above 12 belongs to another year. */
const firstOf = (year: number, month: number): string =>
  `${year + Math.floor((month - 1) / MONTHS)}-${twoDigits(((((month - 1) % MONTHS) + MONTHS) % MONTHS) + 1)}-01`;

const PRESETS = [
  ['month', t('This month')],
  ['lastMonth', t('Last month')],
  ['quarter', t('This quarter')],
  ['lastQuarter', t('Last quarter')],
  ['year', t('This year')],
  ['lastYear', t('Last year')],
] as const;
type Preset = (typeof PRESETS)[number][0];

/** Returns the first day, the number of months and the first month of a preset period. */
function startOf(preset: Preset, year: number, month: number): readonly [first: string, months: number, begin: number] {
  const quarter = month - ((month - 1) % 3);
  const starts: Record<Preset, readonly [number, number]> = {
    month: [month, 1],
    lastMonth: [month - 1, 1],
    quarter: [quarter, 3],
    lastQuarter: [quarter - 3, 3],
    year: [1, MONTHS],
    lastYear: [1 - MONTHS, MONTHS],
  };
  const [begin, months] = starts[preset];
  return [firstOf(year, begin), months, begin];
}

function periodOf(preset: Preset, day: string): { from: string; to: string } {
  const year = Number(day.slice(0, 4));
  const [from, months, begin] = startOf(preset, year, Number(day.slice(5, 7)));
  return { from, to: dayAfter(firstOf(year, begin + months), -1) };
}

/** Returns the report period that the user selected. Default: the current year. */
export function usePeriod({ from, to }: ReportFilters): { from: string; to: string } {
  const year = periodOf('year', today(useZone()));
  return {
    from: from ?? (to !== undefined && to < year.from ? `${to.slice(0, 4)}-01-01` : year.from),
    to: to ?? year.to,
  };
}

/** Returns the `knownAt` parameter. Records after this instant are ignored. Default: the current time. */
export const known = ({ knownAt }: ReportFilters): { knownAt?: string } => (knownAt === undefined ? {} : { knownAt });

export type ReportProps = {
  readonly filters: ReportFilters;
  readonly onChange: (filters: ReportFilters) => void;
};

type Props = ReportProps & { readonly scope: Scope; readonly children?: ReactNode };

/** A report's parameters, which are part of the URL. */
export function ReportFilterBar({ scope, filters, onChange, children }: Props): ReactNode {
  const zone = useZone();
  return (
    <FilterBar filters={filtersIn(filters)}>
      {scope === 'period' ? (
        <PeriodFields filters={filters} onChange={onChange} />
      ) : (
        <DateField
          label={t('As of')}
          onChange={(asOf) => {
            onChange({ ...filters, asOf });
          }}
          value={filters.asOf ?? today(zone)}
        />
      )}
      {children}
      <TextInput
        className="k-choice k-instant-field"
        label={t('Recorded up to')}
        onChange={({ currentTarget: { value } }) => {
          onChange({ ...filters, knownAt: value === '' ? undefined : instantOf(value, zone) });
        }}
        title={t('The books as they stood at this time ({zone})', { zone })}
        type="datetime-local"
        value={filters.knownAt === undefined ? '' : wallClockOf(filters.knownAt, zone).slice(0, 16)}
      />
    </FilterBar>
  );
}

function PeriodFields({ filters, onChange }: ReportProps): ReactNode {
  const day = today(useZone());
  const period = usePeriod(filters);
  const preset = PRESETS.map(([name]) => name).find((name) => {
    const { from, to } = periodOf(name, day);
    return from === period.from && to === period.to;
  });
  return (
    <>
      <Choice
        label={t('Period')}
        none={t('Custom')}
        onChange={(next) => {
          onChange({ ...filters, ...(next === undefined ? period : periodOf(next, day)) });
        }}
        options={PRESETS}
        value={preset}
      />
      <Pair>
        <DateField
          label={t('From')}
          onChange={(from) => {
            onChange({ ...filters, from });
          }}
          value={period.from}
        />
        <DateField
          label={t('To')}
          onChange={(to) => {
            onChange({ ...filters, to });
          }}
          value={period.to}
        />
      </Pair>
    </>
  );
}

type ExportProps = {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | boolean | undefined>>;
  /** Name and file extension of a format other than CSV. */
  readonly format?: readonly [format: string, ending: string];
};

/**
 * Downloads a report. The file name contains the tenant's slug, the name of the report, and the dates that it covers.
 */
export function ReportExport({ name, parameters, format }: ExportProps): ReactNode {
  const { from, to, asOf, knownAt } = parameters;
  const covers = [from, to, asOf, knownAt === undefined ? undefined : `known-${String(knownAt).slice(0, 16)}`];
  const [kind, ending] = format ?? [undefined, 'csv'];
  const fileName = useFileName(name, ...covers.map((part) => (part === undefined ? part : String(part))));
  return (
    <ExportButton
      fileName={`${fileName}.${ending}`}
      label={t('Download {kind}', {
        kind: kind === undefined ? 'CSV' : kind.replace(/^./, (first) => first.toUpperCase()),
      })}
      path={`/api/reports/${name}${stringifySearch({ ...parameters, format: kind })}`}
      type={kind === undefined ? 'text/csv' : 'text/plain'}
    />
  );
}

import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { accountSource, type Transaction } from '../api/books';
import type { Shapes } from '../api/client';
import { useMe } from '../api/me';
import { amountIn, amountOf, amountWords, digitsOf, taxIn, typedAmount, unitsIn, unitsOf } from './amount';
import { ClassFields, classOf } from './class-fields';
import { AreaField, someOf, TextField, type Draft, type Form } from './form';
import { FormLines, linesAs, linesIn } from './form-lines';
import { RemoteField } from './remote-field';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

const BLANK: Draft = { accountId: '', debit: '', credit: '', description: '' };

export const newJournal = (date: string): Draft => ({
  ...{ type: 'JOURNAL', date, description: '', reference: '', branchId: '', categoryId: '' },
  ...linesAs('lines', [BLANK, BLANK]),
});

/** Returns a journal entry's form values. */
export const journalDraft = ({ date, description, reference, postings, ...entry }: Transaction): Draft => ({
  ...{ type: 'JOURNAL', date, description: description ?? '', reference: reference ?? '' },
  ...classOf(entry),
  ...linesAs(
    'lines',
    postings.map((posting) => ({
      accountId: posting.accountId,
      debit: posting.amount.startsWith('-') ? '' : typedAmount(posting.amount),
      credit: posting.amount.startsWith('-') ? typedAmount(posting.amount.slice(1)) : '',
      description: posting.description ?? '',
    })),
  ),
});

const sideOf = (name: 'debit' | 'credit', line: Draft): { debit?: string; credit?: string } =>
  (line[name] ?? '').trim() === '' ? {} : { [name]: amountOf(line[name] ?? '') };

export const journalBody = (values: Draft): Shapes['CreateTransactionDto'] => ({
  type: 'JOURNAL',
  date: values['date'] ?? '',
  lines: linesIn(values, 'lines').map((line) => ({
    accountId: line['accountId'] ?? '',
    ...sideOf('debit', line),
    ...sideOf('credit', line),
    ...someOf(line, ['description']),
  })),
  ...someOf(values, ['description', 'reference', 'branchId', 'categoryId']),
});

const sumOf = (lines: readonly Draft[], side: 'debit' | 'credit'): bigint =>
  lines.reduce((sum, line) => sum + (unitsOf(line[side]) ?? 0n), 0n);

/** Debit and credit totals, updated as the user types. */
function Sums({ lines, digits }: { lines: readonly Draft[]; digits: number }): ReactNode {
  const [debit, credit] = [sumOf(lines, 'debit'), sumOf(lines, 'credit')];
  const words = (units: bigint): string => amountWords(amountIn(units, digits));
  const difference = debit > credit ? debit - credit : credit - debit;
  return (
    <p aria-live="polite" className="k-sums">
      <span>{t('Debit {debit}', { debit: words(debit) })}</span>
      <span>{t('Credit {credit}', { credit: words(credit) })}</span>
      {difference > 0n ? (
        <StatusBadge tone="bad">
          {t('{difference} missing on the {debit, select, true {credit} other {debit}} side', {
            difference: words(difference),
            debit: String(debit > credit),
          })}
        </StatusBadge>
      ) : (
        debit > 0n && <StatusBadge tone="good">{t('Balanced')}</StatusBadge>
      )}
    </p>
  );
}

/** Splits the gross amount of the last line into its net amount and the tax, which gets a separate line. */
function SplitTax({ form, digits }: { form: Form; digits: number }): ReactNode {
  const [rate, setRate] = useState('');
  const lines = linesIn(form.values, 'lines');
  const index = lines.findLastIndex((line) => unitsOf(line['debit']) ?? unitsOf(line['credit']));
  const line = lines[index];
  const percent = unitsOf(rate);
  const split = (): void => {
    if (line === undefined || percent === undefined) return;
    const side = unitsOf(line['debit']) === undefined ? 'credit' : 'debit';
    const gross = unitsOf(line[side]) ?? 0n;
    const tax = unitsIn(amountIn(taxIn(gross, percent), digits)) ?? 0n;
    const words = (units: bigint): string => typedAmount(amountIn(units, digits));
    const net = { ...line, [side]: words(gross - tax) };
    const next = [
      ...lines.slice(0, index),
      net,
      { ...BLANK, [side]: words(tax), description: t('Tax {rate}%', { rate }) },
    ];
    form.replace({ ...form.values, ...linesAs('lines', [...next, ...lines.slice(index + 1)]) });
  };
  return (
    <div className="k-fields">
      <TextInput
        description={t('For example, 19. Splits the gross amount into net and tax.')}
        inputMode="decimal"
        label={t('Tax rate, %')}
        onChange={({ currentTarget }) => {
          setRate(currentTarget.value);
        }}
        value={rate}
      />
      <Button
        className="k-beside"
        disabled={line === undefined || (percent ?? 0n) <= 0n}
        onClick={split}
        variant="default"
      >
        {line === undefined ? t('Split tax out of a line') : t('Split tax out of line {line}', { line: index + 1 })}
      </Button>
    </div>
  );
}

/** Fields of a journal entry, which has two or more lines. Debits and credits must balance. */
export function JournalFields({ form }: { form: Form }): ReactNode {
  const digits = digitsOf(useMe()?.tenant?.currency ?? 'EUR');
  return (
    <>
      <div className="k-fields">
        <TextField form={form} label={t('Date')} name="date" required type="date" />
        <TextField form={form} label={t('Reference')} name="reference" />
        <ClassFields form={form} />
      </div>
      <FormLines blank={BLANK} form={form} label={t('Line')} list="lines" min={2}>
        {(line) => (
          <>
            <RemoteField form={line} label={t('Account')} name="accountId" required source={accountSource} />
            <TextField form={line} inputMode="decimal" label={t('Debit')} name="debit" />
            <TextField form={line} inputMode="decimal" label={t('Credit')} name="credit" />
            <TextField form={line} label={t('Note')} name="description" />
          </>
        )}
      </FormLines>
      <Sums digits={digits} lines={linesIn(form.values, 'lines')} />
      <SplitTax digits={digits} form={form} />
      <AreaField form={form} label={t('Description')} name="description" />
    </>
  );
}

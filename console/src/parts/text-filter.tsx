import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { amountOf, typedAmount } from './amount';
import { amount } from './search-params';
import { useTyped } from './typed';
import { t } from '../messages/catalogue';

type Props = {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
};

/** Filter for an exact value, such as an id. */
export function TextFilter({ label, value, onChange, placeholder }: Props): ReactNode {
  const [typed, type] = useTyped(value, onChange);
  return (
    <TextInput
      className="k-choice"
      label={label}
      onChange={({ currentTarget }) => {
        type(currentTarget.value);
      }}
      placeholder={placeholder}
      value={typed}
    />
  );
}

/** Users type amounts in the notation of their locale. The URL contains them in the service's notation. */
const AMOUNT = {
  read: (typed: string): string => amount(amountOf(typed)) ?? '',
  write: (value: string): string => (value === '' ? '' : typedAmount(value)),
};

/** Filter for an amount. */
export function AmountFilter({ label, value, onChange }: Omit<Props, 'placeholder'>): ReactNode {
  const [typed, type] = useTyped(value, onChange, AMOUNT);
  return (
    <TextInput
      className="k-choice"
      error={typed.trim() !== '' && AMOUNT.read(typed) === '' && t('Not an amount')}
      inputMode="decimal"
      label={label}
      onChange={({ currentTarget }) => {
        type(currentTarget.value);
      }}
      value={typed}
    />
  );
}

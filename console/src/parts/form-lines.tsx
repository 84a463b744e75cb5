import { ActionIcon, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Draft, Form } from './form';
import { Icon } from './icons';
import { inSentence, t } from '../messages/catalogue';

/** Returns a form that contains only the fields with a prefix, and whose field names omit the prefix. */
export const scoped = (form: Form, prefix: string): Form => ({
  values: Object.fromEntries(
    Object.entries(form.values).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  ),
  set: (name, value) => {
    form.set(prefix + name, value);
  },
  replace: (values) => {
    const others = Object.entries(form.values).filter(([name]) => !name.startsWith(prefix));
    form.replace(Object.fromEntries([...others, ...Object.entries(prefixed(values, prefix))]));
  },
  fault: (name) => form.fault(prefix + name),
});

export const prefixed = (values: Draft, prefix: string): Draft =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));

const PATH = /^(\w+)\[(\d+)\]\.(.+)$/;
const lineAt = (list: string, index: number): string => `${list}[${index}].`;

/** Returns the values of each line in a list, which the form stores as `lines[0].amount`, `lines[1].amount`, …. */
export function linesIn(values: Draft, list: string): Draft[] {
  const lines: Record<string, string>[] = [];
  for (const [name, value] of Object.entries(values)) {
    const [, own, index, field] = PATH.exec(name) ?? [];
    if (own === list && index !== undefined && field !== undefined)
      lines[Number(index)] = { ...lines[Number(index)], [field]: value };
  }
  return lines;
}

/** Converts lines to the form fields of a list. */
export const linesAs = (list: string, lines: readonly Draft[]): Draft =>
  Object.assign({}, ...lines.map((line, index) => prefixed(line, lineAt(list, index)))) as Draft;

type Props = {
  readonly form: Form;
  readonly list: string;
  /** Display name of a line, for example “Line”. */
  readonly label: string;
  /** Values of a new line. */
  readonly blank: Draft;
  readonly min?: number;
  readonly children: (line: Form, index: number) => ReactNode;
};

/** A list of lines that the user can add and remove. */
export function FormLines({ form, list, label, blank, min = 1, children }: Props): ReactNode {
  const lines = linesIn(form.values, list);
  const become = (next: readonly Draft[]): void => {
    const others = Object.entries(form.values).filter(([name]) => !name.startsWith(`${list}[`));
    form.replace({ ...Object.fromEntries(others), ...linesAs(list, next) });
  };
  return (
    <div className="k-lines">
      {lines.map((_, index) => (
        <div aria-label={`${label} ${index + 1}`} className="k-line" key={index} role="group">
          {children(scoped(form, lineAt(list, index)), index)}
          <ActionIcon
            aria-label={t('Remove {noun} {index}', { noun: inSentence(label), index: index + 1 })}
            className="k-line-end"
            disabled={lines.length <= min}
            onClick={() => {
              become(lines.filter((__, each) => each !== index));
            }}
            size="lg"
            variant="default"
          >
            <Icon name="close" size={16} />
          </ActionIcon>
        </div>
      ))}
      <Group>
        <Button
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => {
            become([...lines, blank]);
          }}
          size="xs"
          variant="default"
        >
          {t('Add {noun}', { noun: inSentence(label) })}
        </Button>
      </Group>
    </div>
  );
}

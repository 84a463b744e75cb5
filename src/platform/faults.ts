import type { z } from 'zod';
import type { Fault } from './domain-error.js';
import './fault-words.js';

const MAX_FAULTS = 50;
const MAX_NAME_LENGTH = 100;

const named = (name: PropertyKey): string => String(name).slice(0, MAX_NAME_LENGTH);

/** `['lines', 0, 'quantity']` as `lines[0].quantity`; long names, which only strangers send, are cut. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? named(part) : `${text}.${named(part)}`;
  }, '');

/** What zod found, one fault for each field, the first 50; `under` is where in the request the value stands. */
export const faultsOf = ({ issues }: z.core.$ZodError, under: readonly PropertyKey[] = []): Fault[] =>
  issues
    .flatMap((issue): Fault[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: pathText([...under, ...issue.path, key]), message: 'Unknown field.' }))
        : [{ path: pathText([...under, ...issue.path]), message: issue.message }],
    )
    .slice(0, MAX_FAULTS);

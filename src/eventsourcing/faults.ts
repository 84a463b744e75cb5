import type { z } from 'zod';
import type { Fault } from './domain-error.js';
import './validation-messages.js';

const MAX_FAULTS = 50;
const MAX_NAME_LENGTH = 100;

const named = (name: PropertyKey): string => String(name).slice(0, MAX_NAME_LENGTH);

/**
 * Formats `['lines', 0, 'quantity']` as `lines[0].quantity`. Truncates long names, which do not occur in valid
 * requests.
 */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? named(part) : `${text}.${named(part)}`;
  }, '');

/** Converts zod issues to at most 50 faults. `under` is the path of the validated value in the request. */
export const faultsOf = ({ issues }: z.core.$ZodError, under: readonly PropertyKey[] = []): Fault[] =>
  issues
    .flatMap((issue): Fault[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: pathText([...under, ...issue.path, key]), message: 'Unknown field.' }))
        : [{ path: pathText([...under, ...issue.path]), message: issue.message }],
    )
    .slice(0, MAX_FAULTS);

import { Fragment, type ReactNode } from 'react';
import { accountSource, branchSource, categorySource, customerSource } from '../api/books';
import { isOperator, useMe } from '../api/me';
import { roleNames, userNames } from '../api/people';
import { tenantSource } from '../api/tenants';
import { chosenIn } from './many-of-field';
import { NameOf } from './name-of';
import type { Names } from './remote-choice';

type Sources = Readonly<Record<string, Names>>;

/** Sources of record names, keyed by the fields that contain record ids. */
const SOURCES: Sources = {
  ...{ accountId: accountSource, counterAccountId: accountSource, expenseItemId: accountSource },
  ...{ branchId: branchSource, branchIds: branchSource },
  ...{ categoryId: categorySource, parentId: categorySource },
  customerId: customerSource,
  roleIds: roleNames,
  ...{ userId: userNames, userIds: userNames, createdBy: userNames },
};
/** Operators can read a tenant's history, but not its records. */
const OPERATOR_SOURCES: Sources = { tenantId: tenantSource };

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

function useNames(path: string): Names | undefined {
  const me = useMe();
  const [field = ''] = /\w*$/.exec(path) ?? [];
  return (me && isOperator(me) ? OPERATOR_SOURCES : SOURCES)[field];
}

/** A field's value. Record ids are shown as names. Lists of strings are shown without quotation marks. */
export function FieldValue({ path, value }: { readonly path: string; readonly value: unknown }): ReactNode {
  const names = useNames(path);
  if (value === undefined || value === null) return '—';
  // Forms store each list as a single string.
  const texts = names !== undefined && typeof value === 'string' ? chosenIn(value) : value;
  if (isListOfTexts(texts))
    return texts.map((each, index) => (
      <Fragment key={each}>
        {index > 0 && ', '}
        {names === undefined ? each : <NameOf id={each} source={names} />}
      </Fragment>
    ));
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

import { Fragment, type ReactNode } from 'react';
import { gradeNames, permissionNames } from '../api/people';
import { codeWords } from './code-words';
import { chosenIn } from './many-of-field';
import { NameOf } from './name-of';
import type { Names } from './remote-choice';
import { RecordName, type RecordKind } from './record-name';
import { t } from '../messages/catalogue';

type Kinds = Readonly<Record<string, RecordKind>>;

/** The fields that contain record ids. */
const FIELDS: Kinds = {
  ...{ accountId: 'account', counterAccountId: 'account', expenseItemId: 'account', previousId: 'account' },
  ...{ branchId: 'branch', branchIds: 'branch' },
  ...{ categoryId: 'category', parentId: 'category' },
  customerId: 'customer',
  roleIds: 'role',
  saleId: 'sale',
  ...{ tenantId: 'tenant', tenantIds: 'tenant' },
  ...{ transactionId: 'transaction', reversalOf: 'transaction', correctionOf: 'transaction' },
  ...{ correctedBy: 'transaction', lateEntries: 'transaction' },
  ...{
    userId: 'user',
    userIds: 'user',
    ownerUserId: 'user',
    createdBy: 'user',
    resolvedBy: 'user',
    triggeredBy: 'user',
  },
};
/** The records whose `id` identifies a transaction. */
const TRANSACTIONS = ['transaction', 'transactions', 'reversal', 'openingTransaction'];
/** The records that contain the id of an account for each type of account. */
const ACCOUNTS = ['defaults', 'byType'];

/** The fields that contain codes with names. */
const CODES: Readonly<Record<string, Names>> = { permissions: permissionNames, role: gradeNames };
const fieldOf = (path: string): string => path.replace(/\[\d+\]$/, '').replace(/^.*\./, '');

function kindOf(path: string): RecordKind | undefined {
  const [field = '', of = ''] = path
    .replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, '')
    .split('.')
    .reverse();
  if (field === 'id' && TRANSACTIONS.includes(of)) return 'transaction';
  return ACCOUNTS.includes(of) ? 'account' : FIELDS[field];
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Separates the values of a list. The names of codes may contain commas. */
const separatorOf = (source: Names | undefined): string => (source === undefined ? ', ' : '; ');

type Props = { readonly path: string; readonly value: unknown; readonly tenantId?: string | undefined };

/** A field's value. Record ids and codes are shown as names. Lists of strings are shown without quotation marks. */
export function FieldValue({ path, value, tenantId }: Props): ReactNode {
  if (isEmpty(value)) return '—';
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  const kind = kindOf(path);
  const source = CODES[fieldOf(path)];
  // Forms store each list as a single string.
  const texts = (kind ?? source) !== undefined && typeof value === 'string' ? chosenIn(value) : value;
  if (isListOfTexts(texts))
    return texts.map((each, index) => (
      <Fragment key={each}>
        {index > 0 && separatorOf(source)}
        {source !== undefined && <NameOf id={each} source={source} />}
        {kind !== undefined && <RecordName id={each} kind={kind} tenantId={tenantId} />}
        {(kind ?? source) === undefined && each}
      </Fragment>
    ));
  return typeof value === 'string' ? codeWords(fieldOf(path), value) : JSON.stringify(value, null, 2);
}

import { Alert, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { accountsQuery, branchesQuery, changedBooks, customersQuery, type Account, type Branch } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { lacksRelated, type Sale } from '../api/sales';
import { CreateAccount } from './account-form';
import { ActionButton } from './action-button';
import { CreateBranch } from './branch-form';
import { ConfirmAction } from './confirm-action';
import { Icon } from './icons';
import { strong } from './strong';
import { rejectionWords } from './sale-words';
import { rich, t } from '../messages/catalogue';

type Props = { readonly sale: Sale };

const FIRST = { pageNumber: 1, pageSize: 20 };

/** Shows why a sale was rejected, the step that removes the cause, and a button for trying again. */
export function RejectedSale({ sale }: Props): ReactNode {
  const { rejection, id } = sale;
  const cache = useQueryClient();
  const mayRetry = useMay('transactions.write');
  const retry = useMutation({
    mutationFn: () => data(api.POST('/api/sales/{id}/retry', { params: { path: { id } } })),
    onSettled: () => {
      changedBooks(cache);
    },
  });
  if (rejection === null) return null;
  const { code, attempts } = rejection;
  return (
    <Alert
      className="k-problem"
      color="red"
      icon={<Icon name="alert" />}
      role="alert"
      title={rejectionWords(rejection)}
      variant="outline"
    >
      <Text size="sm">
        {t(
          'Rejected after {attempts, plural, one {# attempt} other {# attempts}}. {heals, select, true {The sale is booked automatically as soon as the cause is removed.} other {Correct the sale in the system where it was entered, and send it again with a new number.}}',
          { attempts, heals: String(isHealing(code)) },
        )}{' '}
        <code className="k-nothing">{code}</code>
      </Text>
      <Group gap="sm" mt="xs">
        <Fix sale={sale} />
        {mayRetry && <ActionButton action={retry} icon="refresh" label={t('Try again')} />}
      </Group>
    </Alert>
  );
}

/** Returns whether the service books the sale automatically once the cause has been removed. */
const isHealing = (code: string): boolean =>
  ['BRANCH_UNKNOWN', 'ACCOUNT_UNKNOWN', 'CUSTOMER_PASSIVE', 'RELATED_SALE_UNKNOWN'].includes(code);

/** Offers the step that removes the cause. */
function Fix({ sale }: Props): ReactNode {
  switch (sale.rejection?.code) {
    case 'BRANCH_UNKNOWN':
      return <BranchFix code={sale.branchCode ?? ''} />;
    case 'ACCOUNT_UNKNOWN':
      return <AccountFix sale={sale} />;
    case 'CUSTOMER_PASSIVE':
      return <CustomerFix name={sale.customerName ?? ''} />;
    default:
      return sale.relatedSaleId === null || lacksRelated(sale) ? null : (
        <Link params={{ id: sale.relatedSaleId }} to="/sales/$id">
          {t('Open the related sale')}
        </Link>
      );
  }
}

const matching = <R extends { readonly code: string | null }>(
  records: readonly R[] | undefined,
  code: string,
): R | undefined => records?.find((each) => each.code?.toUpperCase() === code.toUpperCase());

function BranchFix({ code }: { code: string }): ReactNode {
  const mayWrite = useMay('branches.write');
  const branches = useQuery({ ...branchesQuery({ ...FIRST, search: code }), enabled: useMay('branches.read') });
  if (!mayWrite || branches.data === undefined) return null;
  const branch = matching<Branch>(branches.data.items, code);
  if (branch === undefined) return <CreateBranch code={code.toUpperCase()} />;
  return branch.isActive ? null : (
    <Activate
      act={() =>
        data(api.PATCH('/api/branches/{id}', { params: { path: { id: branch.id } }, body: { isActive: true } }))
      }
      label={t('Activate the branch {code}', { code: branch.code })}
      name={branch.name}
    />
  );
}

/** Type of the default account for each payment method. */
const DEFAULT_TYPE = { CASH: 'CASH', CARD: 'POS', BANK: 'BANK' } as const;

function AccountFix({ sale: { payments, rejection } }: Props): ReactNode {
  const payment = payments.find(({ accountCode }) => accountCode !== null && rejection?.message.includes(accountCode));
  const { accountCode = null, method = 'BANK' } = payment ?? {};
  return accountCode === null ? (
    <Link to="/accounts">{t('Choose the default account')}</Link>
  ) : (
    <CodedAccountFix code={accountCode} type={DEFAULT_TYPE[method]} />
  );
}

function CodedAccountFix({ code, type }: { code: string; type: Account['type'] }): ReactNode {
  const mayWrite = useMay('accounts.write');
  const accounts = useQuery({ ...accountsQuery({ ...FIRST, search: code }), enabled: useMay('accounts.read') });
  if (!mayWrite || accounts.data === undefined) return null;
  const account = matching<Account>(accounts.data.items, code);
  if (account === undefined) return <CreateAccount code={code} type={type} />;
  return account.isActive ? null : (
    <Activate
      act={() =>
        data(api.PATCH('/api/accounts/{id}', { params: { path: { id: account.id } }, body: { isActive: true } }))
      }
      label={t('Activate the account {code}', { code })}
      name={account.name}
    />
  );
}

/** Finds the customer by name, because a rejected sale is not yet linked to its customer. */
function CustomerFix({ name }: { name: string }): ReactNode {
  const mayWrite = useMay('customers.write');
  const passive = { ...FIRST, search: name, status: 'PASSIVE' as const };
  const customers = useQuery({ ...customersQuery(passive), enabled: useMay('customers.read') });
  const [found, ...others] = customers.data?.items.filter((each) => each.name === name) ?? [];
  if (!mayWrite || found === undefined || others.length > 0)
    return (
      <Link search={{ status: 'PASSIVE', search: name }} to="/customers">
        {t('Find the customer')}
      </Link>
    );
  return (
    <Activate
      act={() =>
        data(api.PATCH('/api/customers/{id}', { params: { path: { id: found.id } }, body: { status: 'ACTIVE' } }))
      }
      label={t('Activate {name}', { name })}
      name={name}
    />
  );
}

type ActivateProps = { readonly act: () => Promise<unknown>; readonly label: string; readonly name: string };

function Activate({ act, label, name }: ActivateProps): ReactNode {
  const cache = useQueryClient();
  return (
    <ConfirmAction
      act={act}
      buttonProps={{ variant: 'filled' }}
      icon="play"
      label={label}
      onDone={() => {
        changedBooks(cache);
        askAgain(cache, ['branches']);
      }}
    >
      {rich(
        '<strong>{name}</strong> can be used in new transactions again, and sales that are waiting for it are booked.',
        {
          name,
          strong,
        },
      )}
    </ConfirmAction>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { accountQuery, changedBooks, type Account } from '../api/books';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { accountChanges, AccountFields, accountVersion } from './account-form';
import { ConfirmAction } from './confirm-action';
import { EditDialog } from './edit-dialog';
import { strong } from './strong';
import { rich, t } from '../messages/catalogue';

/** Account types whose default accounts receive payments that do not specify an account. */
const PAID_INTO: readonly Account['type'][] = ['CASH', 'BANK', 'POS'];

/** Buttons for the changes that the account permits. `about` names the account if the buttons are in a list row. */
export function AccountActions({ account, about }: { account: Account; about?: string }): ReactNode {
  const { id, name, type, isActive, isDefault, isSystem } = account;
  const named = about === undefined ? {} : { about };
  const cache = useQueryClient();
  const refresh = (): void => {
    changedBooks(cache);
  };
  const update = (body: Shapes['UpdateAccountDto'], revision?: number) =>
    data(api.PATCH('/api/accounts/{id}', { params: { path: { id }, header: ifMatch(revision) }, body }));
  return (
    <>
      <EditDialog
        {...named}
        fields={(form) => <AccountFields form={form} />}
        from={accountVersion(account)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => accountVersion(await cache.query({ ...accountQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(accountChanges(changed), revision)}
      />
      {!isDefault && isActive && PAID_INTO.includes(type) && (
        <ConfirmAction
          {...named}
          act={() => update({ isDefault: true })}
          icon="check"
          label={t('Make default')}
          onDone={refresh}
        >
          {rich('<strong>{name}</strong> receives payments from partners that do not specify an account.', {
            name,
            strong,
          })}
        </ConfirmAction>
      )}
      {!isSystem && !isDefault && (
        <ConfirmAction
          {...named}
          act={() => update({ isActive: !isActive })}
          icon={isActive ? 'pause' : 'play'}
          label={isActive ? t('Deactivate') : t('Activate')}
          onDone={refresh}
        >
          {isActive
            ? rich('<strong>{name}</strong> cannot be used in new transactions. Existing transactions are kept.', {
                name,
                strong,
              })
            : rich(
                '<strong>{name}</strong> can be used in new transactions again, and sales that are waiting for it are booked.',
                { name, strong },
              )}
        </ConfirmAction>
      )}
      <DeleteAccount {...named} account={account} onDone={refresh} />
    </>
  );
}

type DeleteProps = { readonly account: Account; readonly about?: string; readonly onDone: () => void };

/** Only list rows have this button, because a deleted account has no page. */
function DeleteAccount({ account, about, onDone }: DeleteProps): ReactNode {
  const { id, name, isDefault, isSystem } = account;
  if (about === undefined || isDefault || isSystem) return null;
  return (
    <ConfirmAction
      about={about}
      act={() => data(api.DELETE('/api/accounts/{id}', { params: { path: { id } } }))}
      icon="close"
      isDangerous
      label={t('Delete')}
      onDone={onDone}
    >
      {rich('Delete the account <strong>{name}</strong>? Only an account without postings can be deleted.', {
        name,
        strong,
      })}
    </ConfirmAction>
  );
}

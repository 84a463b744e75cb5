import { z } from 'zod';
import { accountRecord, AccountType } from '../aggregates/account.aggregate.js';
import { CreateAccount, DeleteAccount, UpdateAccount } from '../commands/account.commands.js';
import { EachAccount, GetAccount, ListAccounts, LookUpAccounts } from '../queries/account.queries.js';
import { queryBoolean, repeatable, requiredPaging, searchInput } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, receipt, tenantRoutes } from './routes.js';
import { MoneyDto } from './shapes.js';

const AccountDto = recordDto('AccountDto', accountRecord, {
  balance: MoneyDto.meta({ description: 'Debits minus credits.' }),
});

const typeInput = z.string().trim().toUpperCase().pipe(AccountType);
const listQuery = listQueryOf(accountRecord, {
  ...requiredPaging,
  type: repeatable(typeInput, { type: 'string', enum: AccountType.options }),
  isActive: queryBoolean.exactOptional(),
  sort: z.enum(['name', 'code', 'newest']).default('newest'),
});
const lookupQuery = z.strictObject({ search: searchInput.optional() });

const { read, write } = tenantRoutes('/api/accounts', 'Accounts', 'accounts', receipt(201));

export const AccountController = controllerOf(
  read.lookUp('Look up active accounts', lookupQuery, LookUpAccounts),
  write.change('Create an account, or a customer if the type is CUSTOMER', { creates: {} }, CreateAccount),
  read.listWithCsv('List accounts, including customers', listQuery, AccountDto, [ListAccounts, EachAccount]),
  read.get('Get an account with its balance', AccountDto, GetAccount),
  write.change('Update an account', { method: 'PATCH', path: '/:id' }, UpdateAccount),
  write.change('Delete an account without postings', { method: 'DELETE', path: '/:id' }, DeleteAccount),
);

import { z } from 'zod';
import { customerRecord } from '../aggregates/customer-fields.js';
import { CreateCustomer, DeleteCustomer, UpdateCustomer } from '../commands/customer.commands.js';
import { EachCustomer, GetCustomer, ListCustomers, LookUpCustomers } from '../queries/account.queries.js';
import { ListCustomerTransactions } from '../queries/transaction.queries.js';
import { requiredPaging, searchInput } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, pageOf, receipt, routesAt, tenantRoutes } from './routes.js';
import { MoneyDto } from './shapes.js';
import { TransactionDto, transactionFilters } from './transaction.controller.js';

const CustomerDto = recordDto('CustomerDto', customerRecord, {
  balance: MoneyDto.meta({ description: 'Positive if the customer owes money.' }),
});

const listQuery = listQueryOf(customerRecord, {
  ...requiredPaging,
  status: z.enum(['ACTIVE', 'PASSIVE', 'ALL']).default('ACTIVE'),
  sort: z.enum(['name', 'code', 'newest']).default('newest'),
});
const lookupQuery = z.strictObject({ search: searchInput.optional() });
const transactionsQuery = z.strictObject(transactionFilters);

const { read, write } = tenantRoutes('/api/customers', 'Customers', 'customers', receipt(201));
const transactions = routesAt('/api/customers', { who: 'tenant', permission: 'transactions.read', tag: 'Customers' });

export const CustomerController = controllerOf(
  read.lookUp('Look up active customers', lookupQuery, LookUpCustomers),
  write.change('Create a customer', { creates: {} }, CreateCustomer),
  read.listWithCsv('List customers', listQuery, CustomerDto, [ListCustomers, EachCustomer]),
  read.get('Get a customer with its balance', CustomerDto, GetCustomer),
  write.change('Update a customer', { method: 'PATCH', path: '/:id' }, UpdateCustomer),
  write.change('Delete a customer without transactions', { method: 'DELETE', path: '/:id' }, DeleteCustomer),
  transactions.query(
    "List a customer's transactions, newest first",
    {
      path: '/:id/transactions',
      query: transactionsQuery,
      answers: pageOf(TransactionDto),
    },
    ({ scope, id, query }) => new ListCustomerTransactions(scope, id, query),
  ),
);

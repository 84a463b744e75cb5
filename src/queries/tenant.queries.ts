import { getFrom, getsFrom, listFrom, listsFrom } from './query.js';
import { tenants } from '../projections/tenant.projection.js';

export class GetTenant extends getFrom(tenants) {}
export class ListTenants extends listFrom(tenants) {}

export const tenantQueryHandlers = [getsFrom(GetTenant), listsFrom(ListTenants)];

import { SAMPLE_IDS as ids } from './sample-ids.js';

const csv = (...lines: readonly string[]): { readonly 'text/csv': string } => ({
  'text/csv': `${lines.join('\r\n')}\r\n`,
});

const STATEMENT = csv(
  'transactionId,date,type,documentEffect,description,reference,counterparty,reversalOf,reason,debit,credit,' +
    'balance,lineDescription',
  ',2026-03-01,,,Opening balance,,,,,,,1200.00,',
  `${ids.transaction},2026-03-12,COLLECTION,,Bank transfer of 12 March,BT-0312,Bank,,,0.00,900.00,300.00,`,
  ',2026-03-31,,,Closing balance,,,,,,,300.00,',
);

const CREATED = '2026-03-04T10:15:00.000Z,2026-03-04T10:15:00.000Z';

const AUDIT = csv(
  'id,occurredAt,createdAt,updatedAt,tenantId,tenantName,branchId,userId,userName,action,entity,entityId,summary,' +
    'eventType,requestId,ipAddress,userAgent,revision,position',
  `${ids.event},2026-03-04T10:15:00.000Z,${CREATED},${ids.tenant},Acme Trading,${ids.branch},${ids.user},Olga Owner,` +
    `UPDATE,customer,${ids.customer},Customer updated: city,CustomerUpdated,${ids.request},203.0.113.7,Mozilla/5.0,3,4820`,
);

const BEANCOUNT = `option "title" "General ledger"
option "operating_currency" "EUR"
2026-03-12 open Assets:Bank:BANK EUR
  name: "Bank"
  id: "${ids.bank}"
2026-03-12 open Assets:Customers:C-1001 EUR
  name: "Northwind Foods"
  id: "${ids.customerAccount}"

2026-03-12 * "Bank transfer of 12 March"
  id: "${ids.transaction}"
  reference: "BT-0312"
  Assets:Bank:BANK 900.00 EUR
  Assets:Customers:C-1001 -900.00 EUR

2026-03-13 balance Assets:Bank:BANK 900.00 EUR
2026-03-13 balance Assets:Customers:C-1001 -900.00 EUR
`;

/** Responses other than JSON, by operation and media type. */
export const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'GET /api/accounts': csv(
    'id,createdAt,updatedAt,revision,code,name,type,currency,isActive,isDefault,isSystem,customerId,balance',
    `${ids.rent},${CREATED},3,RENT,Rent,EXPENSE,EUR,true,false,false,,900.00`,
  ),
  'GET /api/accounts/:id/statement': STATEMENT,
  'GET /api/audit-logs': AUDIT,
  'GET /api/branches': csv(
    'id,createdAt,updatedAt,revision,code,name,description,address,phone,email,isActive',
    `${ids.branch},${CREATED},3,HARBOUR,Harbour branch,,"Quay 7, Hamburg",'+49 40 123456,accounts@northwind.example,true`,
  ),
  'GET /api/customers': csv(
    'id,createdAt,updatedAt,revision,code,name,type,taxNumber,taxOffice,nationalId,email,phone,address,city,country,' +
      'branchId,notes,currency,status,isDefault,accountId,balance',
    `${ids.customer},${CREATED},3,C-1001,Northwind Foods,COMPANY,DE123456789,,,accounts@northwind.example,` +
      `'+49 40 123456,"Quay 7, Hamburg",Hamburg,DE,${ids.branch},,EUR,ACTIVE,false,${ids.customerAccount},900.00`,
  ),
  'GET /api/customers/:id/open-items': csv(
    'transactionId,date,days,type,documentEffect,externalId,reference,description,saleId,amount,open',
    `${ids.transaction},2026-03-04,27,,INVOICE,order-4711,,,${ids.sale},238.00,238.00`,
  ),
  'GET /api/customers/:id/statement': STATEMENT,
  'GET /api/integration-keys': csv(
    'id,createdAt,updatedAt,revision,name,sourceId,rateLimit,expiresAt,lastUsedAt,previousSecretExpiresAt,revokedAt',
    `${ids.key},${CREATED},3,Web shop,web-shop,60,2027-03-04T10:15:00.000Z,2026-03-04T10:15:00.000Z,,`,
  ),
  'GET /api/platform/audit-logs': AUDIT,
  'GET /api/reports/ageing': csv(
    'customerId,code,name,current,d30,d60,d90,older,total',
    `${ids.customer},C-1001,Northwind Foods,238.00,0.00,0.00,0.00,0.00,238.00`,
    ',,Total,238.00,0.00,0.00,0.00,0.00,238.00',
  ),
  'GET /api/reports/balance-sheet': csv(
    'section,accountId,code,name,type,amount',
    `Assets,${ids.bank},BANK,Bank,BANK,900.00`,
    'Assets,,,Total,,900.00',
    'Liabilities,,,Total,,0.00',
    'Equity,,,Result for the year,,900.00',
    'Equity,,,Total,,900.00',
  ),
  'GET /api/reports/general-ledger': {
    ...csv(
      'date,transactionId,type,documentEffect,accountId,code,name,debit,credit,description,reference,externalId,' +
        'reversalOf,recordedAt,lineDescription',
      `2026-03-12,${ids.transaction},COLLECTION,,${ids.bank},BANK,Bank,900.00,0.00,Bank transfer of 12 March,BT-0312,` +
        'order-4711,,2026-03-04T10:15:00.000Z,',
    ),
    'text/plain': BEANCOUNT,
  },
  'GET /api/reports/profit-and-loss': csv(
    'section,accountId,code,name,type,amount',
    `Income,${ids.sale},SALES,Sales,INCOME,1200.00`,
    'Income,,,Total,,1200.00',
    `Expenses,${ids.rent},RENT,Rent,EXPENSE,300.00`,
    'Expenses,,,Total,,300.00',
    'Result,,,Total,,900.00',
  ),
  'GET /api/reports/tax': csv(
    'rate,salesNet,salesTax,returnsNet,returnsTax,cancellationsNet,cancellationsTax,net,tax',
    '19,200.00,38.00,0.00,0.00,0.00,0.00,200.00,38.00',
    'Total,200.00,38.00,0.00,0.00,0.00,0.00,200.00,38.00',
    'Account: opening,,,,,,,,0.00',
    'Account: documents,,,,,,,,38.00',
    'Account: other,,,,,,,,0.00',
    'Account: closing,,,,,,,,38.00',
  ),
  'GET /api/reports/trial-balance': csv(
    'accountId,code,name,type,debit,credit,balance',
    `${ids.bank},BANK,Bank,BANK,900.00,0.00,900.00`,
    `${ids.customerAccount},C-1001,Northwind Foods,CUSTOMER,0.00,900.00,-900.00`,
  ),
  'GET /api/sales': csv(
    'id,createdAt,updatedAt,revision,externalId,sourceId,type,status,occurredAt,date,currency,customerId,customerName,' +
      'branchCode,total,totalNet,totalTax,relatedSaleId,rejection.code,rejection.message,rejection.attempts',
    `${ids.sale},${CREATED},3,order-4711,web-shop,SALE,BOOKED,2026-03-04T10:15:00.000Z,2026-03-04,EUR,${ids.customer},` +
      'Northwind Foods,HARBOUR,238.00,200.00,38.00,,,,',
  ),
  'GET /api/transaction-categories': csv(
    'id,createdAt,updatedAt,revision,name,direction,color,icon,parentId,isArchived,isSystem,ruleCount',
    `${ids.category},${CREATED},3,Bank transfers,BOTH,#2f6fed,,,false,false,0`,
  ),
  'GET /api/transaction-categories/rules': csv(
    'id,createdAt,updatedAt,revision,categoryId,merchant,keyword,matchType,direction,amountMin,amountMax,accountId,' +
      'notes,source,priority,isEnabled,categoryName,hitCount,lastMatchedAt',
    `${ids.rule},${CREATED},3,${ids.category},,bank transfer,CONTAINS,IN,,,${ids.customerAccount},,SEED,10,true,` +
      'Bank transfers,0,2026-03-04T10:15:00.000Z',
  ),
  'GET /api/transactions': csv(
    'id,createdAt,updatedAt,revision,date,documentDate,type,documentEffect,direction,amount,currency,customerId,' +
      'accountId,counterAccountId,expenseItemId,categoryId,branchId,description,reference,systemGenerated,sourceId,' +
      'externalId,saleId,reversalOf,customerName,accountName,categoryName,categorizedBy.ruleId,categorizedBy.source,' +
      'isCancelled,reversedBy.transactionId,reversedBy.reason,reversedBy.date,reversedBy.userId,reversedBy.userName,' +
      'reason,correctionOf,correctedBy,createdBy,createdByName',
    `${ids.transaction},${CREATED},3,2026-03-12,2026-03-12,COLLECTION,,IN,900.00,EUR,${ids.customer},` +
      `${ids.bank},,,${ids.category},${ids.branch},Bank transfer of 12 March,BT-0312,false,,` +
      `,,,Northwind Foods,Bank,Bank transfers,${ids.rule},SEED,` +
      `false,,,,,,,,,${ids.user},Olga Owner`,
  ),
  'GET /metrics': {
    'text/plain':
      '# HELP kontor_http_requests_total Requests by method, route and status.\n' +
      '# TYPE kontor_http_requests_total counter\n' +
      'kontor_http_requests_total{method="GET",route="/api/customers",status="200"} 42\n',
  },
  'GET /api/platform/jobs/stream': {
    'text/event-stream': `event: run\ndata: {"executionLogId":"${ids.run}","jobName":"database-backup","status":"RUNNING","progress":40}\n\n`,
  },
  'GET /api/users': csv(
    'id,createdAt,updatedAt,revision,fullName,email,phone,role,branchId,isActive,lastLoginAt',
    `${ids.user},${CREATED},3,Olga Owner,olga@acme.example,'+49 40 123456,USER,${ids.branch},true,` +
      '2026-03-04T10:15:00.000Z',
  ),
  'GET /docs': { 'text/html': '<!doctype html>…' },
  'GET /console': { 'text/html': '<!doctype html>…' },
};

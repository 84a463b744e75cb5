import { z } from 'zod';
import { ApplyCategoryRule as ApplyInput, Replace } from '../aggregates/rule-application.aggregate.js';
import { ApplyCategoryRule, UndoRuleApplication } from '../commands/rule-application.commands.js';
import { ListRuleApplications, PreviewRuleApplication } from '../queries/rule-application.queries.js';
import { optionalPaging } from './input.js';
import { controllerOf, pageOf, tenantRoutes, valueOf } from './routes.js';
import { dateOut, named, recordFields, recordId } from './shapes.js';
import { TransactionDto } from './transaction.controller.js';

const count = z.int().min(0);
const RuleApplicationDto = named(
  'RuleApplicationDto',
  z.object({
    ...recordFields,
    ruleId: recordId,
    categoryId: recordId,
    categoryName: z.string().nullable(),
    dateFrom: dateOut.nullable(),
    dateTo: dateOut.nullable(),
    replace: Replace,
    status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'UNDOING', 'UNDONE']),
    progress: z.int().min(0).max(100),
    examined: count.meta({ description: 'Number of transactions checked against the rule.' }),
    changed: count.meta({ description: 'Number of transactions whose category was changed.' }),
    restored: count.meta({
      description: 'Number of transactions whose category was restored when the application was undone.',
    }),
    kept: count.meta({
      description: 'Number of changed transactions that were not restored, because they had been changed again.',
    }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    createdBy: z.string().nullable(),
  }),
);
const RulePreviewDto = named(
  'RulePreviewDto',
  z.object({
    wouldChange: count,
    sample: z.array(TransactionDto).max(20).meta({ description: 'Newest transactions that would change.' }),
  }),
);
const StartedRuleApplicationDto = named('StartedRuleApplicationDto', z.object({ applicationId: recordId }));
const UndoneRuleApplicationDto = named(
  'UndoneRuleApplicationDto',
  z.object({
    restored: count,
    kept: count.meta({
      description: 'Number of transactions that were not restored, because they had been changed again.',
    }),
  }),
);

const { read, write } = tenantRoutes('/api/transaction-categories/rules', 'Transaction Categories', 'categories');

export const RuleApplicationController = controllerOf(
  read.query(
    'List the applications of rules to past transactions, newest first',
    { path: '/applications', query: z.strictObject(optionalPaging), answers: pageOf(RuleApplicationDto) },
    ({ scope, query }) => new ListRuleApplications(scope, query),
  ),
  write.route(
    'Apply a category rule to past transactions, or preview the result',
    {
      method: 'POST',
      path: '/:id/apply',
      description:
        'Changes the transactions that the rule matches, regardless of other rules. Categories chosen by users, ' +
        'cancelled transactions and reversals do not change. The service applies the rule in the background. GET ' +
        '/api/transaction-categories/rules/applications reports the progress.',
      body: ApplyInput,
      creates: {},
      answers: {
        ...valueOf(RulePreviewDto),
        also: {
          200: 'A preview, or the replayed response to an earlier request.',
          201: 'The service has begun to apply the rule.',
        },
        bodies: { 201: StartedRuleApplicationDto },
        headers: {
          'X-Event-Position': {
            description: 'Position of the event that started the application of the rule. Absent from previews.',
          },
          'X-Read-Model': { description: '`behind` if the read models have not reached X-Event-Position.' },
        },
      },
    },
    async ({ tenantId, id: ruleId, newId: id, body }, services) => {
      const { dryRun, dateFrom = null, dateTo = null, replace } = body;
      const request = { ruleId, dateFrom, dateTo, replace };
      if (dryRun) return services.queries.execute(new PreviewRuleApplication(tenantId, request));
      const started = await services.commands.execute(new ApplyCategoryRule({ tenantId, id }, body, ruleId));
      return services.settled({ applicationId: id }, started, { status: 201 });
    },
  ),
  write.command(
    'Undo the application of a rule',
    {
      path: '/applications/:id/undo',
      description: 'Transactions whose category was changed later are skipped.',
      answers: { ...valueOf(UndoneRuleApplicationDto), status: 201, position: 'awaited' },
    },
    ({ target }) => new UndoRuleApplication(target, {}),
    ({ restored, kept }) => ({ restored, kept }),
  ),
);

import { z } from 'zod';
import { GetCheckpoint, GetEvidence, GetTreeProof } from '../queries/integrity.queries.js';
import { answer } from './answer.js';
import { idInput, queryInteger } from './input.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { instantOut, named } from './shapes.js';
import { addressOf, recordRead, recordTenant } from './stream.controller.js';

const hash = z.string().meta({ description: 'SHA-256, in hexadecimal.' });
const hashes = z.array(z.string()).meta({ description: 'Hashes of the proof (RFC 9162), in hexadecimal.' });
const note = z.string().meta({ description: 'Signed note (C2SP tlog-checkpoint).' });

const CheckpointDto = named(
  'CheckpointDto',
  z.object({
    note,
    size: z.int().meta({ description: 'Number of events that the checkpoint covers.' }),
    rootHash: hash,
    timestamp: instantOut,
    position: z.int().meta({ description: 'Position of the last event that the checkpoint covers.' }),
  }),
);

const TreeProofDto = named(
  'TreeProofDto',
  z.union([
    z.object({ index: z.int(), size: z.int(), leafHash: hash, hashes, checkpoint: note }),
    z.object({ from: z.int(), to: z.int(), hashes }),
  ]),
);

const size = queryInteger(1, Number.MAX_SAFE_INTEGER);
const proofQuery = z
  .strictObject({ eventId: idInput.optional(), from: size.optional(), to: size.optional() })
  .superRefine(({ eventId, from, to }, context) => {
    const isConsistency = eventId === undefined && from !== undefined && to !== undefined;
    if (isConsistency ? from > to : eventId === undefined || from !== undefined || to !== undefined)
      context.addIssue({
        code: 'custom',
        path: [isConsistency ? 'from' : 'eventId'],
        message: isConsistency ? 'Must not exceed "to".' : 'Specify either eventId, or from and to.',
      });
  });

const evidenceQuery = z.strictObject({
  entity: z.string().trim().min(1).max(100),
  id: z.string().trim().min(1).max(100),
  tenantId: recordTenant,
});

const shared = { who: 'platform', tag: 'Platform Integrity' } as const;
const routes = routesAt('/api/platform/integrity', shared);
const recorded = routesAt('/api/platform/integrity', { ...shared, isRecorded: true });

export const IntegrityController = controllerOf(
  routes.query(
    'Get the last signed checkpoint of the history',
    { path: '/checkpoint', answers: valueOf(CheckpointDto) },
    () => new GetCheckpoint(),
  ),
  routes.query(
    'Prove that the history contains an event, or that it has only been appended to',
    {
      path: '/proofs',
      query: proofQuery,
      description:
        'With `eventId`, the response proves that the last checkpoint covers the event. With `from` and `to`, it ' +
        'proves that the tree of the first `to` events contains the tree of the first `from` events.',
      answers: { ...valueOf(TreeProofDto), also: { 409: 'NOT_COVERED: no checkpoint covers the event yet.' } },
    },
    ({ query: { eventId, from = 1, to = 1 } }) => new GetTreeProof(eventId ?? { from, to }),
  ),
  recorded.route(
    "Download a record's events, with proofs that the last checkpoint covers them",
    {
      path: '/evidence',
      query: evidenceQuery,
      description:
        'Returns a JSON file that `scripts/verify-evidence.mjs` verifies without the service. Events that contain ' +
        'secrets are represented by their hashes. `entity` accepts the same values as in the audit log. Every ' +
        'download is recorded in the audit log.',
      answers: {
        ...{ status: 200, shape: 'file' },
        headers: { 'Content-Disposition': { description: 'File name.', required: true } },
      },
    },
    async ({ query: { entity, id, tenantId } }, services) => {
      const address = addressOf({ entity, id }, tenantId);
      const evidence = await services.queries.execute(new GetEvidence(address));
      await recordRead(services, address, 'EVENTS');
      const name = `evidence-${entity}-${address.id}`.replaceAll(/[^\w.-]/g, '_');
      return answer(`${JSON.stringify(evidence, null, 1)}\n`, {
        headers: { 'content-disposition': `attachment; filename="${name}.json"` },
      });
    },
  ),
);

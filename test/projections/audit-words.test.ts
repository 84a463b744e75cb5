import fc from 'fast-check';
import { words } from '../../src/ports/search.js';
import { UUID_PATTERN } from '../../src/ports/uuid.js';
import { auditLogs, type AuditLogView } from '../../src/projections/audit-log.projection.js';

type Searched = Pick<AuditLogView, 'summary' | 'entity' | 'entityId' | 'requestId' | 'actor'>;

/** Returns the words that the audit log must index: all words of the text, with each UUID as a single word. */
function reference({ summary, entity, entityId, requestId, actor }: Searched): string[] {
  const text = `${summary} ${entity} ${entityId} ${requestId} ${actor ?? ''}`;
  return words(text.replace(new RegExp(`\\b${UUID_PATTERN}\\b`, 'gi'), (id) => id.replaceAll('-', '')));
}
const indexed = (entry: Searched): string[] => words(auditLogs.search?.['text']?.(entry as AuditLogView) ?? '');

test('An audit entry is found by the same words, wherever it contains ids (property)', () => {
  const id = fc.uuid().chain((lower) => fc.constantFrom(lower, lower, lower.toUpperCase()));
  const unit = fc.oneof({ weight: 2, arbitrary: id }, fc.constantFrom(' ', '-', '_', ':', 'a', '0', 'ü', 'partner:'));
  const text = fc.oneof(
    id,
    fc.string({ unit, maxLength: 5 }),
    fc.string({ maxLength: 60 }),
    fc.string({ minLength: 36, maxLength: 36 }),
  );
  const entry = fc.record({
    ...{ summary: text, entity: text },
    // A manually written event may lack ids.
    ...{ entityId: fc.option(text, { nil: undefined }), requestId: fc.option(text, { nil: undefined }) },
    actor: fc.option(text),
  });
  fc.assert(
    fc.property(entry, (given) => {
      expect(indexed(given as Searched)).toEqual(reference(given as Searched));
    }),
    { numRuns: 3_000 },
  );
});

test('Each id of an entry is one word', () => {
  const id = '0199d3a0-0000-7000-8000-000000000001';
  const entry = { summary: 'Sale accepted', entity: 'sale', entityId: id, requestId: 'r-1', actor: `partner:${id}` };
  expect(indexed(entry)).toEqual(['sale', 'accepted', '0199d3a0000070008000000000000001', 'r', '1', 'partner']);
});

import { category, type PresentCategory } from '../aggregates/category.aggregate.js';
import { notFoundAt } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';

/** Returns the category referenced by a request, archived or not. @throws DomainError not_found with the path */
export async function categoryNamed(
  reader: RecordReader,
  tenantId: string,
  id: string,
  path = 'categoryId',
): Promise<PresentCategory> {
  const { state } = await reader.read(category, tenantId, id);
  if (state.status === 'absent') throw notFoundAt(path, 'category');
  return state;
}

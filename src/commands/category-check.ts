import { category, type PresentCategory } from '../aggregates/category.aggregate.js';
import { notFoundAt } from '../platform/domain-error.js';
import type { RecordReader } from '../platform/record-reader.js';

/** The category that a request names, archived or not. @throws DomainError not_found with the path */
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

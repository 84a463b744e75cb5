import type { Page } from '../../src/queries/query.js';
import type { TestService } from './service.js';

/** Reads every page of a list and checks the page metadata. @throws Error if a page is rejected */
export async function everyPage<Item>(
  service: TestService,
  token: string,
  path: string,
  pageSize = 100,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const separator = path.includes('?') ? '&' : '?';
    const address = `${path}${separator}pageNumber=${pageNumber}&pageSize=${pageSize}`;
    const reply = await service.get(address, token);
    if (reply.status !== 200) throw new Error(`${address}: ${reply.told}`);
    const { items: found, ...page } = reply.body as Page<Item>;
    items.push(...found);
    const totalPages = Math.ceil(page.totalCount / pageSize);
    const expected = {
      pageNumber,
      pageSize,
      totalPages,
      totalCount: page.totalCount,
      hasPreviousPage: pageNumber > 1,
      hasNextPage: pageNumber < totalPages,
    };
    expect([address, page]).toEqual([address, expected]);
    if (pageNumber < totalPages) expect([address, found.length]).toEqual([address, pageSize]);
    else {
      expect([address, items.length]).toEqual([address, page.totalCount]);
      return items;
    }
  }
}

import { TestService } from '../support/service.js';

let service: TestService;
beforeEach(async () => {
  service = await TestService.start();
});
afterEach(() => service.close());

test('A position beyond the last append is rejected quickly, and is not an error', async () => {
  const { tenant } = await service.openBooks();
  const operator = await service.operator();
  const head = await service.quiet();
  const list = '/api/branches?pageNumber=1&pageSize=10';
  for (const position of [head + 1_000, Number.MAX_SAFE_INTEGER]) {
    const beganAtMs = performance.now();
    const reply = await service.get(list, tenant.token, { 'x-min-position': String(position) });
    expect(performance.now() - beganAtMs).toBeLessThan(1_000);
    expect([reply.told, reply.headers['retry-after']]).toEqual(['503 READ_MODEL_BEHIND', '1']);
  }
  expect((await service.get(list, tenant.token, { 'x-min-position': String(head) })).status).toBe(200);
  expect(service.complaints).toEqual([]);
  await service.service.engines.errors.close();
  const errors = await service.get('/api/platform/error-logs?pageNumber=1&pageSize=10', operator);
  expect(errors.body).toMatchObject({ totalCount: 0 });
});

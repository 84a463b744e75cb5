import { priceSale, saleId, SalePayload } from '../../src/aggregates/sale-payload.js';
import { acceptSale, sale } from '../../src/aggregates/sale.aggregate.js';
import { elsewhere } from '../support/elsewhere.js';
import { saleOf, TestService, type Books } from '../support/service.js';

describe('A sale accepted by another process', () => {
  let service: TestService;
  let books: Books;
  beforeAll(async () => {
    service = await TestService.start();
    books = await service.openBooks();
  });
  afterAll(() => service.close());

  const acceptElsewhere = (externalId: string): Promise<unknown> => {
    const tenantId = books.tenant.id;
    const { sourceId } = books.partner;
    const acceptance = { sourceId, sale: priceSale(SalePayload.parse(saleOf(externalId))) };
    const target = { tenantId, id: saleId(tenantId, sourceId, externalId) };
    const { engines } = service.service;
    return elsewhere(engines, ({ runner }) => runner.execute(sale, target, acceptance, acceptSale), tenantId);
  };
  const statusOf = async (externalId: string): Promise<string> =>
    (await service.settled(books.partner, externalId)).status;

  test('is booked', async () => {
    await acceptElsewhere('first');
    expect(await statusOf('first')).toBe('BOOKED');
  });

  test('is booked even if this process looked it up before', async () => {
    const path = '/api/integrations/v1/sales/asked-for';
    expect((await service.call('GET', path, { key: books.partner.key })).status).toBe(404);
    await acceptElsewhere('asked-for');
    expect(await statusOf('asked-for')).toBe('BOOKED');
  });

  test('is booked even if its return came before it, and so is the return', async () => {
    const line = { description: 'Back', quantity: 1, unitPrice: '10.00' };
    const back = saleOf('back', { type: 'RETURN', relatedExternalId: 'late', lines: [line] });
    expect((await service.postSale(books.partner, back)).status).toBe(202);
    // The policy looks up the sale several times before it rejects the return.
    await service.quiet();
    await acceptElsewhere('late');
    expect(await statusOf('late')).toBe('BOOKED');
    expect(await statusOf('back')).toBe('BOOKED');
  });
});

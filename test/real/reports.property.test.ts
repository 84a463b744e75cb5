import { seed } from '../support/bookkeeping-property.js';
import { mongoRecipe } from '../support/mongo-server/recipe.js';
import { reportsProperty } from '../support/reports-property.js';
import { ServerProcess } from '../support/server-process.js';
import { TestService } from '../support/service.js';

describe('On MongoDB', () => {
  let server: ServerProcess;
  let service: TestService;
  beforeAll(async () => {
    process.stdout.write(`seed ${seed}\n`);
    server = await ServerProcess.start(mongoRecipe);
    service = await TestService.start({ environment: { MONGODB_URL: server.url } });
  });
  afterAll(async () => {
    await service.close();
    await server.dispose();
  });

  reportsProperty({ runs: 1, steps: 40, stepMs: 10_000 }, () => service);

  test('The tests above log no warnings', () => {
    expect(service.complaints).toEqual([]);
  });
});

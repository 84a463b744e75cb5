import { exportJWK, generateKeyPair } from 'jose';
import { expectAllLateEntriesFound, withSlowPostings } from '../support/closing-race.js';
import { Servers } from '../support/servers.js';
import { TestService } from '../support/service.js';

describe('A period that is closed on one of two replicas during 200 concurrent postings', () => {
  let servers: Servers;
  const replicas: TestService[] = [];
  beforeAll(async () => {
    servers = await Servers.start();
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const environment = { ...servers.settings, JWT_SIGNING_KEY: JSON.stringify(await exportJWK(privateKey)) };
    for (let n = 0; n < 2; n += 1) replicas.push(await TestService.start({ environment, between: withSlowPostings }));
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await servers.dispose();
  });

  test('lists all late entries', async () => {
    await expectAllLateEntriesFound(replicas, 'two replicas');
  });
});

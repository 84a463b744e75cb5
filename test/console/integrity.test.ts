import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import { eventually } from '../support/eventually.js';
import type { Visitor } from '../support/visitor.js';

const SCRIPT = join(import.meta.dirname, '../../scripts/verify-evidence.mjs');

let shop: Shop;
let visitor: Visitor;
let page: Page;
onStage(
  (stage) => {
    ({ shop, visitor, page } = stage);
  },
  async ({ service, shop: { tenantId, keyId } }) => {
    const token = await service.operator();
    const evidence = `/api/platform/integrity/evidence?entity=integration-key&id=${keyId}&tenantId=${tenantId}`;
    const isSigned = (): Promise<boolean> =>
      service.call(evidence, { token }).then(
        () => true,
        () => false,
      );
    await eventually(isSigned, 40_000, () => 'no checkpoint covers the key');
  },
);

const { button, dialog } = handlesOf(() => page);

test('The last checkpoint is shown, and the history is verified on request', async () => {
  await visitor.signIn(OPERATOR, '/integrity');
  await page.getByRole('region', { name: 'Signed note' }).waitFor();
  await button('Run now: integrity-verify').click();
  await dialog().getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { level: 1, name: 'integrity-verify' }).waitFor();
  await visitor.goTo('/integrity');
  await page.getByRole('region', { name: 'Verification' }).getByText('Succeeded').waitFor();
});

test('The evidence of a record is downloaded from its history', async () => {
  await visitor.signIn(OPERATOR, `/records/integration-key/${shop.keyId}?tenantId=${shop.tenantId}`);
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download evidence').click()]);
  expect(file.suggestedFilename()).toBe(`evidence-integration-key-${shop.keyId}.json`);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, await file.path()], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

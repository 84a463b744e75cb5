import type { Page } from 'playwright-core';
import { OPERATOR } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import { eventually } from '../support/eventually.js';
import type { Visitor } from '../support/visitor.js';

let visitor: Visitor;
let page: Page;
onStage(
  (stage) => {
    ({ visitor, page } = stage);
  },
  async ({ service }) => {
    const token = await service.operator();
    const isSigned = (): Promise<boolean> =>
      service.call('/api/platform/integrity/checkpoint', { token }).then(
        () => true,
        () => false,
      );
    await eventually(isSigned, 40_000, () => 'no checkpoint is signed');
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

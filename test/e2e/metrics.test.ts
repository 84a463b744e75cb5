import { MetricsText } from '../support/metrics-text.js';
import { call, KontorProcess, openBooks, PLAIN, postSale, statusOf, until, withDirectory } from './kontor-process.js';

const METRICS_TOKEN = 'a-secret-of-the-scraper';
const SALES = 20;

type Queue = {
  readonly name: string;
  readonly kind: string;
  readonly lag: number | null;
  readonly perMinute: number;
  readonly lastProcessedAt: string | null;
};

describe('A process with a subscriber thread', () => {
  test('reports both threads in its metrics and queues', async () => {
    await withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, { ...PLAIN, METRICS_TOKEN });
      const url = await kontor.url();
      const books = await openBooks(url);
      for (let n = 0; n < SALES; n += 1) await postSale(url, books, `sale-${n}`);
      for (let n = 0; n < SALES; n += 1)
        await until(
          () => statusOf(url, books, `sale-${n}`),
          (status) => status === 'BOOKED',
        );

      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      const scrape = async (): Promise<MetricsText> => {
        const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
        return new MetricsText(await response.text());
      };
      const handledBy = (all: MetricsText, subscriber: string): number =>
        all.all('kontor_subscriber_events_handled_total', { subscriber })[0]?.value ?? 0;
      // The worker thread reports its counts once a second, but a projection's position at once. Thus a lag can be 0
      // before the counts are complete.
      const metrics = await until(scrape, (all) => {
        const [stored] = all.all('kontor_broker_messages_total', { result: 'stored' });
        const lags = all.all('kontor_subscriber_lag_positions');
        const counts = [stored?.value ?? 0, handledBy(all, 'transactions'), handledBy(all, 'integration-events')];
        return counts.every((count) => count >= 2 * SALES) && lags.every(({ value }) => value === 0);
      });
      expect(handledBy(metrics, 'booking')).toBe(SALES);
      expect(metrics.value('kontor_intake_sales_total', { result: 'accepted' })).toBe(SALES);

      type Answer = { data: { queues: readonly Queue[] } };
      // The service itself may append an event at any time.
      const { data } = await until(
        () => call<Answer>(`${url}/api/platform/redis/queues`, { token: books.operator }),
        (answer) => answer.data.queues.every(({ lag }) => lag === 0),
      );
      const queue = (name: string): Queue | undefined => data.queues.find((one) => one.name === name);
      expect(queue('booking')).toMatchObject({ kind: 'policy', perMinute: SALES });
      for (const name of ['transactions', 'integration-events'])
        expect(queue(name)?.lastProcessedAt).toEqual(expect.any(String));
      expect(queue('integration-events')?.perMinute).toBeGreaterThanOrEqual(2 * SALES);
      await kontor.stopCleanly();
    });
  });
});

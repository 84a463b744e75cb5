import { QueueMeters } from '../../src/observability/queue-meters.js';
import { ManualClock } from '../support/manual-clock.js';

describe('The meter of a queue', () => {
  const scene = () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 4, 10));
    const meters = new QueueMeters(clock);
    const booking = meters.of('booking', 'policy');
    return { clock, meters, booking };
  };

  test('reports no queue that this process does not work on', () => {
    const { clock, meters, booking } = scene();
    expect(meters.readings()).toEqual([]);
    booking.begin(7);
    expect(meters.readings()).toEqual([
      {
        name: 'booking',
        kind: 'policy',
        position: 7,
        isIdle: false,
        inFlight: 0,
        handled: 0,
        failures: 0,
        perMinute: 0,
        lastProcessedAt: null,
        readAtMs: clock.nowMs(),
      },
    ]);
    booking.end();
    expect(meters.readings()).toEqual([]);
  });

  test('counts the events of the last minute, in a sliding window of seconds', async () => {
    const { clock, booking } = scene();
    booking.begin(-1);
    booking.handled(3, 10);
    await clock.advance(30_000);
    booking.handled(2, 12);
    expect(booking.read()).toMatchObject({ perMinute: 5, handled: 5, position: 12 });
    await clock.advance(29_000);
    expect(booking.read().perMinute).toBe(5);
    await clock.advance(1_000);
    expect(booking.read().perMinute).toBe(2);
    await clock.advance(30_000);
    expect(booking.read()).toMatchObject({ perMinute: 0, handled: 5 });
  });

  test('reports zero after an idle hour, and counts again', async () => {
    const { clock, booking } = scene();
    booking.begin(-1);
    for (let second = 0; second < 90; second += 1) {
      booking.handled(1, second);
      await clock.advance(1_000);
    }
    expect(booking.read().perMinute).toBe(59);
    await clock.advance(3_600_000);
    expect(booking.read().perMinute).toBe(0);
    booking.handled(1, 91);
    expect(booking.read()).toMatchObject({ perMinute: 1, handled: 91 });
  });

  test('reports the last event by the wall clock, and measures rates by the monotonic clock', async () => {
    const { clock, booking } = scene();
    booking.begin(-1);
    booking.handled(1, 1);
    clock.jump(-3_600_000);
    booking.handled(1, 2);
    expect(booking.read()).toMatchObject({ perMinute: 2, lastProcessedAt: '2026-03-04T09:00:00.000Z' });
    await clock.advance(1_000);
    booking.handled(0, 3);
    expect(booking.read()).toMatchObject({ position: 3, lastProcessedAt: '2026-03-04T09:00:00.000Z' });
  });

  test('calls a queue idle only when everything is delivered and done and the subscription is open', () => {
    const { booking } = scene();
    booking.begin(-1);
    booking.took(2);
    booking.reached(4, true);
    expect(booking.read()).toMatchObject({ isIdle: false, inFlight: 2 });
    booking.handled(1, 4, 1);
    booking.handled(1, 5, 0);
    expect(booking.read()).toMatchObject({ isIdle: true, inFlight: 0 });
    booking.markUnknown();
    expect(booking.read().isIdle).toBe(false);
    booking.reached(5, true);
    expect(booking.read().isIdle).toBe(true);
    booking.reached(6, false);
    expect(booking.read().isIdle).toBe(false);
  });

  test('keeps its counts when this process leads again', () => {
    const { meters, booking } = scene();
    booking.begin(-1);
    booking.handled(4, 4);
    booking.failed();
    booking.end();
    meters.of('booking', 'policy').begin(2);
    expect(meters.readings()).toMatchObject([{ position: 2, handled: 4, failures: 1, isIdle: false }]);
  });
});

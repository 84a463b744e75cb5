import { type EventStore, EventStoreUnavailable } from '../../src/ports/event-store.js';
import { overriding } from '../../src/ports/overriding.js';
import { TestService } from '../support/service.js';

/** Returns a store that rejects the first appends to operators' streams. */
const failingAtFirst = (events: EventStore, failures: { left: number }): EventStore =>
  overriding<EventStore, Pick<EventStore, 'append'>>(events, {
    append: (request) => {
      if (!request.stream.startsWith('operator-') || failures.left === 0) return events.append(request);
      failures.left -= 1;
      return Promise.reject(new EventStoreUnavailable('away'));
    },
  });

test('A start creates the operator of the settings as soon as the event store is available', async () => {
  const failures = { left: 2 };
  const service = await TestService.start({
    between: (engines) => ({ ...engines, events: failingAtFirst(engines.events, failures) }),
  });
  try {
    expect(failures.left).toBe(0);
    expect(await service.operator()).toEqual(expect.any(String));
    expect(service.complaints.filter((text) => text.startsWith('waiting for an engine'))).toHaveLength(1);
  } finally {
    await service.close();
  }
});

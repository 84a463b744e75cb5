import { type EventStore, EventStoreUnavailable } from '../../src/ports/event-store.js';
import { TestService } from '../support/service.js';

/** Returns a store that rejects the first appends to operators' streams. */
function failingAtFirst(events: EventStore, failures: { left: number }): EventStore {
  const append: EventStore['append'] = (request) => {
    if (!request.stream.startsWith('operator-') || failures.left === 0) return events.append(request);
    failures.left -= 1;
    return Promise.reject(new EventStoreUnavailable('away'));
  };
  return new Proxy(events, {
    get: (target, name) => {
      const own: unknown = name === 'append' ? append : Reflect.get(target, name, target);
      return typeof own === 'function' ? (own as () => unknown).bind(target) : own;
    },
  });
}

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

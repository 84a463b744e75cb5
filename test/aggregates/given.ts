import { fold, type Aggregate, type Decision, type DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';

export const NOW = new Date('2026-03-04T10:00:00.000Z');

/** Returns the content of a rejection: its kind and code, and the invalid fields. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.kind, error.code, ...(error.details.errors ?? []).map(({ path }) => path)].join(' ');
  }
  return 'not refused';
}

/**
 * Tests a decision: `given(aggregate, history).when(decision, data).then(events)`. For a rejection, the chain ends with
 * `.isRefused('conflict SOME_CODE')` instead.
 */
export function given<State, Event extends DomainEvent>(
  aggregate: Aggregate<State, Event>,
  history: readonly NoInfer<Event>[],
) {
  const state = fold(aggregate, history);
  return {
    state,
    /** The record's claims in tenant t: scope, kind, value, and the error for a second owner. */
    holds: (...claims: readonly string[]) => {
      const held = aggregate.claims?.(state, 't') ?? [];
      expect(
        held.map(({ scope, kind, value, refusal: told }) => [scope, kind, value, told?.code ?? '-'].join(' ')),
      ).toEqual(claims);
    },
    when: <Data>(decide: Decision<State, Data, Event>, data: NoInfer<Data>, now = NOW) => {
      const decision = () => decide(state, data, now);
      return {
        events: decision,
        then: (...events: readonly NoInfer<Event>[]) => {
          expect(decision()).toEqual(events);
          // Every decided event must survive storage: its JSON must parse to the same data.
          for (const { type, data: stored } of events) {
            expect(aggregate.events[type]?.schema.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
          }
        },
        changesNothing: () => {
          expect(decision()).toEqual([]);
        },
        isRefused: (how: string) => {
          expect(refusal(decision)).toBe(how);
        },
      };
    },
  };
}

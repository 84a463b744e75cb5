import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  type Append,
  type Appended,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { DomainEvent } from './aggregate.js';
import { currentContext } from './context.js';
import { metadataOf, type EventCatalogue } from './event-catalogue.js';
import { nameUuid } from './name-uuid.js';

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 50;
/** A store that hangs takes its time for every attempt: past this none is begun. */
const PATIENCE_MS = 5_000;

/** Writes events of the request under way: checks them, gives them ids and metadata, settles unknown outcomes. */
export class Appender {
  constructor(
    private readonly store: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
  ) {}

  /**
   * Events ready to append. Ids are UUIDv5 of the command's id, the stream, the expected revision and the index, so a
   * retry of the same append repeats them, and a decision taken anew at another revision does not. Reactions to one
   * event share its command id (redelivered, by two leaders at once, by several policies), so theirs tell the data too:
   * the store must not take what one of them decides for a repeat of what another did.
   */
  prepare(stream: string, expected: ExpectedRevision, events: readonly DomainEvent[]): EventToAppend[] {
    const context = currentContext();
    const timestamp = new Date(this.clock.nowMs()).toISOString();
    return events.map((event, index) => {
      const { data, version } = this.catalogue.encode(event);
      return {
        id: nameUuid(
          `${stream}@${expected}#${index}${context.causationId === undefined ? '' : `${event.type}${JSON.stringify(data)}`}`,
          context.commandId,
        ),
        type: event.type,
        data,
        metadata: metadataOf(context, version, timestamp),
      };
    });
  }

  /** `prepare` and `append` in one; tells the ids that the events were given. */
  async write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly DomainEvent[],
  ): Promise<Appended & { readonly eventIds: readonly string[] }> {
    const prepared = this.prepare(stream, expected, events);
    const [appended] = await this.append([{ stream, expected, events: prepared }]);
    return { ...(appended as Appended), eventIds: prepared.map(({ id }) => id) };
  }

  /**
   * Appends in order, each only when those before it succeeded. Where the outcome stays unknown the same append is
   * repeated: its ids make that harmless, and the answer says what was stored.
   * @throws what EventStore.append throws; AppendOutcomeUnknown when the store stays silent
   */
  async append(appends: readonly Append[]): Promise<Appended[]> {
    const [only] = appends;
    const beganAtMs = this.clock.monotonicMs();
    let unknown: AppendOutcomeUnknown | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return appends.length === 1 && only ? [await this.store.append(only)] : await this.store.appendInOrder(appends);
      } catch (error) {
        if (error instanceof AppendOutcomeUnknown) unknown = error;
        // That the store is away now says nothing of an earlier attempt, which may have been stored.
        else if (!unknown || !(error instanceof EventStoreUnavailable)) throw error;
        if (attempt === MAX_ATTEMPTS || this.clock.monotonicMs() - beganAtMs >= PATIENCE_MS) throw unknown;
        await this.clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }
}

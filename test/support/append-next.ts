import type { Append, Appended, EventStore, EventToAppend, ExpectedRevision } from '../../src/ports/event-store.js';

type Store = Pick<EventStore, 'readStream' | 'append' | 'appendInOrder'>;
type Next = Omit<Append, 'expected'>;

const expectedAfter = (revision: number): ExpectedRevision => (revision < 0 ? 'no_stream' : revision);

/** Appends at the end of the stream, regardless of its revision. */
export async function appendNext(store: Store, stream: string, ...events: EventToAppend[]): Promise<Appended> {
  const [appended] = await appendAllNext(store, [{ stream, events }]);
  return appended as Appended;
}

/** Appends each event at the end of its stream, in order. */
export async function appendAllNext(store: Store, all: readonly Next[]): Promise<Appended[]> {
  const numbered = new RevisionCount();
  for (const { stream } of all) {
    if (numbered.knows(stream)) continue;
    const { revision } = await store.readStream(stream, { direction: 'backwards', maxCount: 1 });
    numbered.begin(stream, revision);
  }
  return store.appendInOrder(all.map((each) => numbered.next(each)));
}

/** Counts revisions and assigns expected revisions to appends. The streams must have no other writer. */
export class RevisionCount {
  private readonly revisions = new Map<string, number>();

  knows(stream: string): boolean {
    return this.revisions.has(stream);
  }

  begin(stream: string, revision: number): void {
    this.revisions.set(stream, revision);
  }

  next({ stream, events }: Next): Append {
    const revision = this.revisions.get(stream) ?? -1;
    this.revisions.set(stream, revision + events.length);
    return { stream, expected: expectedAfter(revision), events };
  }
}

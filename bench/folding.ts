import type { EventReader } from '../src/ports/event-store.js';
import { documentsOf, evolveWith, scopeOf, wants } from '../src/projecting/projection.js';
import { projections } from '../src/projections/projections.js';
import { decoded, readHistory } from './history-store.js';

/**
 * Number of cached documents. As in a projector, recent documents are cached. An evicted document starts empty again,
 * which does not affect the measurement.
 */
const REMEMBERED = 50_000;

/** Folds a history into all read models in memory without storing anything. Returns the number of folds. */
export async function foldAll(events: EventReader, upTo: number): Promise<number> {
  const known = new Map<string, object>();
  let folds = 0;
  await readHistory(events, { upTo }, (batch) => {
    const some = decoded(batch);
    for (const projection of projections)
      for (const event of some) {
        if (!wants(projection, event.entity)) continue;
        const scope = scopeOf(projection, event);
        for (const id of documentsOf(projection, event)) {
          const key = `${projection.model.name} ${scope} ${id}`;
          const document = evolveWith(projection, known.get(key), event, id);
          folds += 1;
          if (document) known.set(key, document);
        }
      }
    if (known.size > REMEMBERED) known.clear();
  });
  return folds;
}

import { PLATFORM, type AnyTable, type ReadModel, type ReadStore, type Scope } from '../ports/read-store.js';

/** An event that a generation of a projection lacks, and the document that is left without it. */
export type ProjectionMark = {
  /** `document`: that one is left as it was before the event; `projection`: all of them, and it stands still. */
  readonly kind: 'document' | 'projection';
  readonly scope: Scope;
  readonly id: string;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
};

type Marks = { readonly marks: readonly ProjectionMark[] };

const projectionMarks: ReadModel<Marks> = {
  name: 'projection_marks',
  version: 1,
  fields: { marks: { type: 'integer', of: ({ marks }) => marks.length } },
  filters: [],
  order: { fields: ['marks'], direction: 'descending' },
};
/** What projections lack, a document for each generation of each; beside the models themselves, and never rebuilt. */
export const MARKS_TABLE: AnyTable = { model: projectionMarks, generation: 1 };

const MAX_ATTEMPTS = 20;

const isSame = (a: ProjectionMark, b: ProjectionMark): boolean =>
  a.kind === b.kind && a.scope === b.scope && a.id === b.id;

async function read(store: ReadStore, checkpoint: string): Promise<Marks & { readonly expected: number | null }> {
  const [found] = await store.load(MARKS_TABLE, [{ scope: PLATFORM, id: checkpoint }]);
  const marks = found?.json ? (JSON.parse(found.json) as Marks).marks : [];
  return { marks, expected: found?.position ?? null };
}

/** The marks of the generation that keeps this checkpoint. @throws ReadStoreUnavailable */
export const marksOf = async (store: ReadStore, checkpoint: string): Promise<readonly ProjectionMark[]> =>
  (await read(store, checkpoint)).marks;

/** Changes the marks of a generation, whoever else does so at the same time. @throws ReadStoreUnavailable */
async function change(
  store: ReadStore,
  checkpoint: string,
  by: (marks: readonly ProjectionMark[]) => readonly ProjectionMark[],
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { marks, expected } = await read(store, checkpoint);
    const next = by(marks);
    if (JSON.stringify(next) === JSON.stringify(marks)) return;
    // The position counts changes here: these documents are made of no events.
    const position = (expected ?? 0) + 1;
    const document = next.length === 0 ? null : { marks: next };
    const write = { scope: PLATFORM, id: checkpoint, document, position, expected };
    const { conflicts } = await store.write({ tables: [{ table: MARKS_TABLE, writes: [write] }], checkpoints: [] });
    if (conflicts.length === 0) return;
  }
  throw new Error(`The marks of ${checkpoint} keep changing`);
}

/** Keeps a mark, in the place of one of the same document. */
export const setMark = (store: ReadStore, checkpoint: string, mark: ProjectionMark): Promise<void> =>
  change(store, checkpoint, (marks) => [...marks.filter((one) => !isSame(one, mark)), mark]);

/** Forgets one mark: what it speaks of is folded by now. */
export const clearMark = (store: ReadStore, checkpoint: string, mark: ProjectionMark): Promise<void> =>
  change(store, checkpoint, (marks) => marks.filter((one) => !isSame(one, mark)));

/** Of a generation that is no more. */
export const clearMarks = (store: ReadStore, checkpoint: string): Promise<void> => change(store, checkpoint, () => []);

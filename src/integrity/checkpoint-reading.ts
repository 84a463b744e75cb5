import type { IntegrityEvent } from '../aggregates/integrity.aggregate.js';
import { InvalidNote, openNote, type NoteVerifier } from '../security/integrity-keys.js';
import type { PublishedCheckpoint } from './checkpoint-files.js';
import { TREE_STREAM } from './tree-follower.js';
import { TamperedHistory, type KnownRoot, type PlacedEvent } from './tree-verification.js';

/**
 * Returns the checkpoint in an event; undefined if the event contains none. @throws TamperedHistory if the checkpoint's
 * note is invalid
 */
export function recordedRoot(event: PlacedEvent, verifiers?: readonly NoteVerifier[]): KnownRoot | undefined {
  if (event.stream !== TREE_STREAM) return undefined;
  const { signedAt, note } = event.data as IntegrityEvent['data'];
  try {
    return rootIn(note, `of ${signedAt} in the history`, verifiers);
  } catch (error) {
    if (!(error instanceof InvalidNote)) throw error;
    throw new TamperedHistory(-1, `The checkpoint at position ${event.position} is invalid: ${error.message}`);
  }
}

/** @throws InvalidNote */
export const publishedRoot = (
  { note, timestamp }: Pick<PublishedCheckpoint, 'note' | 'timestamp'>,
  verifiers?: readonly NoteVerifier[],
): KnownRoot => rootIn(note, `of ${timestamp} in a file`, verifiers);

function rootIn(note: string, source: string, verifiers?: readonly NoteVerifier[]): KnownRoot {
  const { size, root } = openNote(note, verifiers);
  return { size, rootHash: root.toString('hex'), source };
}

import { BEFORE_ALL, EventStoreUnavailable, type Position } from '../ports/event-store.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';

/** The part of a read store that belongs to one history. */
export type HistorySpace = { readonly historyId: string; readonly space: string };

/** A fault in the history. Any thread may report it. */
export type HistoryFault =
  { readonly kind: 'damaged'; readonly position: Position } | { readonly kind: 'replaced'; readonly reason: string };

/** The state of the history, as known to this process: its identity, and whether it is damaged or has been replaced. */
export class HistoryState {
  private settled: HistorySpace | undefined;
  private damage: string | undefined;
  private replacement: string | undefined;
  private readonly listeners = new Set<(reason: string) => void>();

  /** Permits use of the read store from now on. */
  settle(settled: HistorySpace): void {
    this.settled = settled;
  }

  /** @throws ReadStoreUnavailable before the history is identified, and after its replacement */
  get space(): string {
    return this.known.space;
  }

  /** @throws ReadStoreUnavailable before the history is identified, and after its replacement */
  get known(): HistorySpace {
    if (this.replacement !== undefined) throw new ReadStoreUnavailable(this.replacement);
    if (!this.settled) throw new ReadStoreUnavailable('The history of the event store has not been identified yet');
    return this.settled;
  }

  /** Reason why appends are rejected; undefined while the history is intact. */
  get fault(): string | undefined {
    return this.replacement ?? this.damage;
  }

  /** @throws EventStoreUnavailable while appends are rejected */
  readonly assertSound = (): void => {
    if (this.fault !== undefined) throw new EventStoreUnavailable(this.fault, undefined, this.fault);
  };

  readonly note = (fault: HistoryFault): void => {
    if (fault.kind === 'damaged') this.noteDamage(fault.position);
    else this.noteReplaced(fault.reason);
  };

  /**
   * Records an unreadable event. From then on, appends are rejected, because restoring a backup would lose all later
   * events. The position of damage to the store's own structures is unknown (BEFORE_ALL).
   */
  readonly noteDamage = (position: Position): void => {
    const where = position === BEFORE_ALL ? '' : ` at position ${position}`;
    this.damage ??= `The history is damaged${where}. Restore a backup`;
  };

  /**
   * Records that the event store now contains another history. All of this process's state was derived from the
   * previous history.
   */
  noteReplaced(reason: string): void {
    if (this.replacement !== undefined) return;
    this.replacement = reason;
    for (const listener of this.listeners) listener(this.replacement);
  }

  /** Registers a listener that is called once, when the history is replaced. */
  onReplaced(listener: (reason: string) => void): void {
    this.listeners.add(listener);
  }
}

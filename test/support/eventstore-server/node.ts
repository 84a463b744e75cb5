import type { Faults } from './faults.js';
import type { History } from './history.js';

export type Endpoint = { readonly host: string; readonly port: number };

/** What the services of one server share. */
export type EventStoreNode = {
  readonly history: History;
  readonly faults: Faults;
  /** The leader, where it is another node. */
  leaderElsewhere(): Endpoint | undefined;
  /** Counts an answer that a reader or subscriber is sent. */
  noteSent(): void;
  /** Breaks the connection of a call's peer. */
  disconnect(peer: string): void;
};

import type { Access } from './access.js';
import type { Faults } from './faults.js';
import type { History } from './history.js';
import type { ServerVersion } from './server-version.js';

export type Endpoint = { readonly host: string; readonly port: number };

/** State shared by the services of one server. */
export type EventStoreNode = {
  readonly version: ServerVersion;
  /** Access rights. If undefined, access is unrestricted. */
  readonly access: Access | undefined;
  readonly history: History;
  readonly faults: Faults;
  /** Returns the leader if it is another node, and otherwise undefined. */
  leaderElsewhere(): Endpoint | undefined;
  /** Counts a call of the given kind. */
  noteCall(kind: 'append' | 'read' | 'subscription'): void;
  /** Counts the end of a subscription. */
  noteUnsubscribed(): void;
  /** Counts a message sent to a reader or subscriber. */
  noteSent(): void;
  /** Breaks the connection of a call's peer. */
  disconnect(peer: string): void;
};

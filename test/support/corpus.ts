// Histories recorded by earlier versions of the service, with the resulting books. Recordings are permanent. If a
// schema changes, or all-events.ts writes a new event type, a new recording must be added.
//
//   node --import ./test/support/typescript.mjs test/support/record-corpus.ts <number>
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventReader, EventStore, EventToAppend } from '../../src/ports/event-store.js';
import type { TestService } from './service.js';

export const CORPUS = join(import.meta.dirname, 'golden', 'histories');

export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: object;
  readonly metadata: { readonly version: number; readonly tenantId: string };
};

type TransactionSeen = { readonly id: string; readonly date: string };

/** The books as a tenant sees them, derived entirely from the history. */
export type BooksSeen = {
  readonly accounts: unknown;
  readonly customers: unknown;
  readonly transactions: readonly TransactionSeen[];
};

export type Recording = {
  readonly name: string;
  readonly email: string;
  readonly books: BooksSeen;
  readonly events: readonly StoredEvent[];
};

export async function eventsOf(events: EventReader): Promise<StoredEvent[]> {
  const all = await events.readAll({ maxCount: 100_000 });
  return all.map(({ id, stream, revision, type, data, metadata }) => ({
    ...{ id, stream, revision, type, data },
    metadata: metadata as StoredEvent['metadata'],
  }));
}

export async function booksOf(service: TestService, token: string): Promise<BooksSeen> {
  await service.quiet();
  const transactions: TransactionSeen[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const path = `/api/transactions?pageNumber=${page}&pageSize=100&showSystemGenerated=true`;
    const list = (await service.get(path, token)).body as { items: TransactionSeen[]; totalPages: number };
    transactions.push(...list.items);
    pages = list.totalPages;
  }
  return {
    accounts: await service.trialBalance(token),
    customers: (await service.customers(token, 'status=ALL')).items,
    transactions,
  };
}

export async function store(events: EventStore, recorded: readonly StoredEvent[]): Promise<void> {
  for (const { id, stream, revision, type, data, metadata } of recorded) {
    const event: EventToAppend = { id, type, data, metadata };
    await events.append({ stream, expected: revision === 0 ? 'no_stream' : revision - 1, events: [event] });
  }
}

export function recordings(): Recording[] {
  const names = readdirSync(CORPUS).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => {
    const [head = '', ...lines] = readFileSync(join(CORPUS, name), 'utf8').trim().split('\n');
    const { email, books } = JSON.parse(head) as Pick<Recording, 'email' | 'books'>;
    return { name, email, books, events: lines.map((line) => JSON.parse(line) as StoredEvent) };
  });
}

import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';

// Must never change, so that a repeated notification keeps its id.
const NAMESPACE = '6f2a1d7c-93c5-5b1e-8a4f-0d5b7e6c9a12';
export const noticeId = (...about: readonly string[]): string => nameUuid(JSON.stringify(about), NAMESPACE);

/** Returns the hour of an event, for notifications sent at most once an hour. */
export const hourOf = ({ metadata }: Pick<Recorded, 'metadata'>): string => metadata.timestamp.slice(0, 13);

import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';

export const BackupDownloaded = z.object({
  jobName: z.string(),
  /** The run that created the backup. */
  executionId: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
  /** Hexadecimal digest of the file. */
  sha256: z.string(),
});
export const HistoryRead = z.object({
  entity: z.string(),
  /** The record's tenant, or `platform` for platform records. */
  tenantId: z.string(),
  recordId: z.string(),
  /** The data that the operator read: the record's events, or one of its past states. */
  part: z.enum(['EVENTS', 'STATE']),
  /** Set if the operator read the states of all the tenant's records of this kind. The record is then the tenant. */
  listed: z.exactOptional(z.string()),
});

export const EventsRead = z.object({
  /** The list's filters, as specified in the request. */
  filter: z.record(z.string(), z.string()),
});

export const inspectionEvents = {
  BackupDownloaded: domain('OTHER', 'job', BackupDownloaded, {
    subject: ({ jobName }) => jobName,
    label: ({ fileName }) => fileName,
  }),
  HistoryRead: domain('OTHER', 'inspection', HistoryRead, {
    about: ({ entity, recordId }) => ({ entity, entityId: recordId }),
    label: ({ entity, listed, part }) => `${listed ?? entity}, ${part.toLowerCase()}`,
  }),
  EventsRead: domain('OTHER', 'inspection', EventsRead, { label: ({ filter }) => Object.keys(filter).join(', ') }),
};
export type InspectionEvent = EventOf<typeof inspectionEvents>;
export type Inspection = { readonly status: 'absent' | 'recorded' };

/**
 * An operator's access to data beyond the console's lists. Each access has its own stream in the platform tenant.
 * Therefore, it does not change the record's revision, and operators do not contend with each other.
 */
export const inspection: Aggregate<Inspection, InspectionEvent> = {
  name: 'inspection',
  events: inspectionEvents,
  initial: { status: 'absent' },
  evolve: () => ({ status: 'recorded' }),
};

export const recordBackupDownload = (_: Inspection, data: z.output<typeof BackupDownloaded>): InspectionEvent[] => [
  { type: 'BackupDownloaded', data },
];
export const recordHistoryRead = (_: Inspection, data: z.output<typeof HistoryRead>): InspectionEvent[] => [
  { type: 'HistoryRead', data },
];
export const recordEventsRead = (_: Inspection, data: z.output<typeof EventsRead>): InspectionEvent[] => [
  { type: 'EventsRead', data },
];

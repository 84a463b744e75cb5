import {
  BackupDownloaded,
  HistoryRead,
  inspection,
  recordBackupDownload,
  recordHistoryRead,
} from '../aggregates/inspection.aggregate.js';
import { command, decides } from '../eventsourcing/command.js';

/** Must be executed before the first byte of the backup is sent. */
export class RecordBackupDownload extends command(BackupDownloaded) {}
/** Must be executed before the history is returned. */
export class RecordHistoryRead extends command(HistoryRead) {}

export const inspectionCommandHandlers = [
  decides(RecordBackupDownload, inspection, recordBackupDownload),
  decides(RecordHistoryRead, inspection, recordHistoryRead),
];

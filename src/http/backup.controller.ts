import { RecordBackupDownload } from '../commands/operation.commands.js';
import { BackupArchive } from '../backup/backup-archive.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { IDS, type Ids } from '../ports/time.js';
import { answer } from './answer.js';
import { controllerOf, routesAt } from './routes.js';

/** The job that writes backups. */
const DATABASE_BACKUP = 'database-backup';

const routes = routesAt('/api/platform/jobs', { who: 'platform', tag: 'Platform Jobs', isRecorded: true });

export const BackupController = controllerOf(
  routes.route(
    'Download the file of a successful database backup while it is kept',
    {
      path: '/execution/:executionLogId/backup-download',
      ids: ['executionLogId'],
      description:
        'Contains the whole history of all tenants: protect it like the database. `npm run restore` loads it. Every ' +
        'download is recorded in the audit log.',
      answers: {
        status: 200,
        shape: 'file',
        bareRefusals: true,
        headers: {
          'Content-Disposition': { description: 'The name of the file.', required: true },
          'Content-Length': { description: 'Its size in bytes.', required: true },
          Digest: { description: 'SHA-256 of the file (RFC 3230).', required: true },
          'Repr-Digest': { description: 'The same in the form of RFC 9530.', required: true },
        },
      },
    },
    async ({ tenantId, params: { executionLogId: executionId } }, services) => {
      const backup = await services.get(BackupArchive).open(executionId);
      if (!backup) throw new DomainError('not_found', 'NOT_FOUND', 'There is no backup of this execution.');
      const { fileName, sizeBytes, sha256, file } = backup;
      // Closes the file at its end, or when the client disconnects.
      const content = file.createReadStream();
      try {
        const target = { tenantId, id: services.get<Ids>(IDS).next() };
        const download = { jobName: DATABASE_BACKUP, executionId, fileName, sizeBytes, sha256 };
        await services.commands.execute(new RecordBackupDownload(target, download));
      } catch (error) {
        content.destroy();
        throw error;
      }
      const digest = Buffer.from(sha256, 'hex').toString('base64');
      return answer(content, {
        headers: {
          'content-disposition': `attachment; filename="${fileName}"`,
          'content-length': sizeBytes,
          digest: `sha-256=${digest}`,
          'repr-digest': `sha-256=:${digest}:`,
        },
      });
    },
  ),
);

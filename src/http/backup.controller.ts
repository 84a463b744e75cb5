import { Controller, Inject, Param } from '@nestjs/common';
import { BackupArchive } from '../platform/backup-archive.js';
import { DomainError } from '../platform/domain-error.js';
import { answer, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';

@Controller()
export class BackupController {
  constructor(@Inject(BackupArchive) private readonly archive: BackupArchive) {}

  @Endpoint({
    who: 'platform',
    tag: 'Platform Jobs',
    method: 'GET',
    path: '/api/platform/jobs/execution/:executionLogId/backup-download',
    ids: ['executionLogId'],
    summary: 'The file that a successful database backup has left, as long as it is kept',
    description: 'Holds the whole history of all tenants: keep it as safe as the database. `npm run restore` loads it.',
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
  })
  async download(@Param('executionLogId') executionId: string): Promise<Answer> {
    const { fileName, sizeBytes, sha256, file } = await this.found(executionId);
    const digest = Buffer.from(sha256, 'hex').toString('base64');
    // The stream closes the file when it has ended, and when the client has gone away.
    return answer(file.createReadStream(), {
      headers: {
        'content-disposition': `attachment; filename="${fileName}"`,
        'content-length': sizeBytes,
        digest: `sha-256=${digest}`,
        'repr-digest': `sha-256=:${digest}:`,
      },
    });
  }

  private async found(executionId: string) {
    const backup = await this.archive.open(executionId.toLowerCase());
    if (!backup) throw new DomainError('not_found', 'NOT_FOUND', 'There is no backup of this execution.');
    return backup;
  }
}

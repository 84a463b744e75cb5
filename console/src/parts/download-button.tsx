import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download } from '../api/download';
import type { Run } from '../api/jobs';
import { bytes } from './figures';
import { Icon } from './icons';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

/** Downloads the backup that a run created, for as long as the service retains it. */
export function DownloadButton({ run }: { run: Run }): ReactNode {
  const action = useMutation({
    mutationFn: () => download(`/api/platform/jobs/execution/${run.id}/backup-download`),
  });
  if (run.artifact === null) return null;
  return (
    <>
      <Button
        aria-label={t('Download, {sizeBytes}: {fileName}', {
          sizeBytes: bytes(run.artifact.sizeBytes),
          fileName: run.artifact.fileName,
        })}
        leftSection={<Icon name="download" size={16} />}
        loading={action.isPending}
        onClick={() => {
          action.mutate();
        }}
        size="xs"
        variant="default"
      >
        {t('Download, {sizeBytes}', { sizeBytes: bytes(run.artifact.sizeBytes) })}
      </Button>
      {action.error !== null && (
        <ProblemView
          error={action.error}
          title={t('The file cannot be downloaded. Older backups may have been removed.')}
        />
      )}
    </>
  );
}

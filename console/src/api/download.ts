import { authorizedFetch } from './client';
import { lostBy, problemOf } from './problem';

const FILE_NAME = /filename="([^"]+)"/;

/**
 * Saves a file that requires the session's token, which a plain link cannot send. Returns the given file name or, if
 * there is none, the name chosen by the service. @throws KontorError
 */
export async function download(path: string, type = '*/*', fileName?: string): Promise<string> {
  const request = new Request(new URL(path, location.origin), { headers: { accept: type } });
  const response = await authorizedFetch(request);
  if (!response.ok) throw await problemOf(response);
  const name = fileName ?? FILE_NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
  // Browsers store large blobs on disk instead of in memory.
  const url = URL.createObjectURL(await response.blob().catch(lostBy()));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  window.setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
  return name;
}

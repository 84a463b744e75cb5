// Requests that must be rejected in the usual way by the compiled service, whose bundler may remove code.
import { connect } from 'node:net';
import { call, KontorProcess, openBooks, PLAIN, until, withDirectory, type Books } from './kontor-process.js';

/** Sends a request as raw text. Returns the response. */
const raw = (url: string, ...lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('end', () => {
      resolve(text);
    });
    socket.on('error', reject);
    socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  });

describe('The compiled service', () => {
  const withService = (use: (url: string, books: Books, kontor: KontorProcess) => Promise<void>): Promise<void> =>
    withDirectory(async (directory) => {
      const kontor = await KontorProcess.ready(directory, PLAIN);
      const url = await kontor.url();
      await use(url, await openBooks(url), kontor);
      await kontor.stopCleanly();
    });

  test('checks the credential before invalid escapes, unknown expectations and a missing host', () =>
    withService(async (url, { key }, kontor) => {
      const paths = ['/api/customers/%zz', '/api/%ff', '/api/integrations/v1/sales/%'];
      for (const path of paths) expect([path, (await fetch(url + path)).status]).toEqual([path, 401]);
      const asked = await fetch(`${url}/api/integrations/v1/sales/%zz`, { headers: { 'x-integration-key': key } });
      expect([asked.status, asked.headers.has('x-ratelimit-limit')]).toEqual([404, true]);
      const logged = () => Promise.resolve(kontor.stdout.includes(asked.headers.get('x-request-id') ?? 'none'));
      await until(logged, Boolean);

      const host = `Host: ${new URL(url).host}`;
      const expecting = await raw(url, 'GET /api/integrations/v1/sales HTTP/1.1', host, 'Expect: foo');
      expect(expecting).toMatch(/^HTTP\/1\.1 401 /);
      expect(expecting).toMatch(/x-request-id: /i);
      const hostless = await raw(url, 'GET /api/customers HTTP/1.1');
      expect(hostless).toMatch(/^HTTP\/1\.1 400 /);
      expect(hostless).toMatch(/x-request-id: [^]*"path":"Host"/i);
      expect(await raw(url, 'GET /livez HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /);
    }));

  test('responds to a client that is still sending a body that is too large', () =>
    withService(async (url, { key, token }) => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const { status } = await fetch(`${url}/api/integrations/v1/sales`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-integration-key': key },
          body: ' '.repeat(8_000_000),
        });
        expect(status).toBe(413);
      }
      expect(await call(`${url}/api/customers?pageNumber=1&pageSize=1`, { token })).toMatchObject({ pageNumber: 1 });
    }));
});

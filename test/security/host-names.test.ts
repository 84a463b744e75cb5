import { parsed, talk } from '../support/raw-http.js';
import { TestService } from '../support/service.js';

/** Sends a request as a browser would if the host name resolved to the service. Resolves with the response. */
async function asked(service: TestService, path: string, host: string, ...more: string[]): Promise<string> {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...more];
  const { status, body } = parsed(await talk(service.url, `${lines.join('\r\n')}\r\n\r\n`));
  const { code, error } = JSON.parse(body.startsWith('{') ? body : '{}') as { code?: string; error?: { code: string } };
  return [status, ...[code ?? error?.code ?? []].flat()].join(' ');
}

describe('The host name of a request', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ environment: { ALLOWED_HOSTS: 'Books.example, kontor', TRUST_PROXY: 'true' } });
  });
  afterAll(() => service.close());

  test.each([
    'books.example',
    'BOOKS.example:443',
    'books.example.',
    'kontor:3000',
    'localhost:3000',
    'tenant.localhost',
    '127.0.0.1:3000',
    '10.0.0.7',
    '[::1]:3000',
    '',
  ])('can be an allowed name, an address or this machine: %s', async (host) => {
    expect(await asked(service, '/livez', host)).toBe('200');
  });

  test.each([
    'evil.example',
    'books.example.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'xkontor',
  ])('is otherwise rejected: %s', async (host) => {
    for (const path of ['/livez', '/console', '/metrics', '/api/auth/me', '/api/integrations/v1/sales/x', '/elsewhere'])
      expect([path, await asked(service, path, host)]).toEqual([path, '421 MISDIRECTED_REQUEST']);
  });

  test('can be forwarded by a trusted proxy', async () => {
    expect(await asked(service, '/livez', 'kontor', 'X-Forwarded-Host: evil.example')).toBe('421 MISDIRECTED_REQUEST');
    expect(await asked(service, '/livez', 'internal', 'X-Forwarded-Host: books.example')).toBe('200');
  });
});

test('A page that rebinds its own name to this machine cannot read the metrics', async () => {
  const service = await TestService.start();
  try {
    const { port } = new URL(service.url);
    expect(await asked(service, '/metrics', `rebound.example:${port}`)).toBe('401 UNAUTHENTICATED');
    expect(await asked(service, '/metrics', `localhost:${port}`)).toBe('200');
    expect(await asked(service, '/metrics', `127.0.0.1:${port}`)).toBe('200');
    // Without a configured list, the service accepts every host name.
    expect(await asked(service, '/livez', `books.example:${port}`)).toBe('200');
  } finally {
    await service.close();
  }
});

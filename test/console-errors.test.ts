import { titleOf } from '../console/src/api/error-title.js';

test('The title of an error contains no ids of records', () => {
  expect(titleOf('Requests from the user 01a21c43-a809-749e-a5ab-93a705978c42 are rejected repeatedly.')).toBe(
    'Requests from the user … are rejected repeatedly.',
  );
  const path = 'GET /api/tenants/01A21C43-A809-749E-A5AB-93A705978C42/users/6e3a04d2-7c5a-5ef0-8c9a-0123456789ab';
  expect(titleOf(path)).toBe('GET /api/tenants/…/users/…');
  expect(titleOf('web-1001: the branch 192.0.2.1 of 2026-11-27 does not exist')).toBe(
    'web-1001: the branch 192.0.2.1 of 2026-11-27 does not exist',
  );
});

import { PASSWORD, TestService, type TestTenant } from '../support/service.js';

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
  tenant = await service.createTenant();
});
afterAll(() => service.close());

let made = 0;
const person = (password: string, localPart = `grace.${(made += 1)}`) => ({
  fullName: 'Grace',
  email: `${localPart}@${tenant.slug}.test`,
  password,
});
const asUser = (body: object) => service.post('/api/users', { ...body, role: 'USER' }, tenant.token);

describe('A new password', () => {
  const email = 'hopper@acme.test';
  const weak: readonly string[] = [
    ' '.repeat(10),
    '\u3000'.repeat(12),
    '1111111111',
    '😀'.repeat(11),
    '1234567890',
    'Password123',
    'QWERTYUIOP',
    email,
    'the Hopper of old',
    'hopper-2026!',
  ];

  test.each(weak)('is rejected when it is %j, wherever it is set', async (password) => {
    const operator = await service.operator();
    const own = { fullName: 'Hopper', email: email.toUpperCase(), password };
    const company = { name: 'Acme', slug: `acme-${(made += 1)}`, currency: 'EUR', timeZone: 'UTC', owner: own };
    expect((await asUser(own)).told).toBe('400 VALIDATION_FAILED password');
    expect((await service.post('/api/platform/operators', own, operator)).told).toBe('400 VALIDATION_FAILED password');
    expect((await service.post('/api/platform/tenants', company, operator)).told).toBe(
      '400 VALIDATION_FAILED owner.password',
    );
  });

  test.each(weak)('is rejected when it is %j, even when it replaces another', async (newPassword) => {
    const { id } = await asUser({ fullName: 'Hopper', email: `hopper@${tenant.slug}.test`, password: PASSWORD });
    const clear = newPassword.replace(email, `hopper@${tenant.slug}.test`);
    const reset = await service.post(`/api/users/${id}/password`, { newPassword: clear }, tenant.token);
    expect(reset.told).toBe('400 VALIDATION_FAILED newPassword');
    const token = await service.signIn(`hopper@${tenant.slug}.test`);
    const change = { currentPassword: PASSWORD, newPassword: clear };
    expect((await service.post('/api/auth/change-password', change, token)).told).toBe(
      '400 VALIDATION_FAILED newPassword',
    );
    await service.call('DELETE', `/api/users/${id}`, { token: tenant.token });
  });

  test('is rejected with the reason', async () => {
    const messages = [];
    for (const password of ['short', '1111111111', 'password1234', 'ada.lovelace is here']) {
      const { body } = await asUser(person(password, 'ada.lovelace'));
      messages.push((body as { errors: { message: string }[] }).errors.map(({ message }) => message));
    }
    expect(messages).toEqual([
      ['Must have 10 to 128 characters.'],
      ['Must not repeat a single character.'],
      ['Must not be one of the most common passwords. Choose another one.'],
      ['Must not contain the e-mail address or the part of it before the @.'],
    ]);
  });

  test('can contain a very short local part', async () => {
    expect((await asUser(person('a planned annex', 'ann'))).told).toBe('201');
    const whole = `bob@${tenant.slug}.test`;
    expect((await asUser(person(`my ${whole}`, 'bob'))).told).toBe('400 VALIDATION_FAILED password');
  });

  test('is normalized, and its length counts visible characters', async () => {
    const [composed, decomposed] = ['Käsekuchen für alle', 'Käsekuchen für alle'].map((text, index) =>
      text.normalize(index === 0 ? 'NFC' : 'NFD'),
    ) as [string, string];
    for (const password of [composed, decomposed]) {
      const body = person(password);
      expect((await asUser(body)).told).toBe('201');
      await service.signIn(body.email, composed);
      await service.signIn(body.email, decomposed);
    }
    expect((await asUser(person('äöü5678'.normalize('NFD')))).told).toBe('400 VALIDATION_FAILED password');
    expect((await asUser(person('ä'.normalize('NFD') + 'bc'.repeat(63) + 'd'))).told).toBe('201');
  });
});

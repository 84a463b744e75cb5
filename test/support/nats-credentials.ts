import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;
const encoded = (value: string | Uint8Array): string => Buffer.from(value).toString('base64url');

/** Creates a JWT for NATS decentralized authentication (NATS ADR-14), signed with an NKey. */
function jwt(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const claims = { iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name, iat: 1_700_000_000, nats };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex');
  const signed = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...claims, jti },
  ]
    .map((part) => encoded(JSON.stringify(part)))
    .join('.');
  return `${signed}.${encoded(issuer.sign(new TextEncoder().encode(signed)))}`;
}

const UNLIMITED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const JETSTREAM = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/** Creates a server configuration with a new operator, and the credentials file of one of its users. */
export function operatorMode(): { readonly configuration: string; readonly creds: string } {
  const [operator, system, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ];
  const accountJwt = (key: KeyPair, name: string, limits: object) =>
    jwt(operator, key, name, { type: 'account', version: 2, limits: { ...UNLIMITED, ...limits } });
  const systemKey = system.getPublicKey();
  const configuration = `
    operator: ${jwt(operator, operator, 'test', { type: 'operator', version: 2, system_account: systemKey })}
    resolver: MEMORY
    resolver_preload: {
      ${systemKey}: ${accountJwt(system, 'SYS', {})}
      ${account.getPublicKey()}: ${accountJwt(account, 'KONTOR', JETSTREAM)}
    }`;
  const userJwt = jwt(account, user, 'kontor', { type: 'user', version: 2, subs: -1, data: -1, payload: -1 });
  const seed = new TextDecoder().decode(user.getSeed());
  const block = (what: string, text: string) => `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n`;
  return { configuration, creds: `${block('NATS USER JWT', userJwt)}\n${block('USER NKEY SEED', seed)}` };
}

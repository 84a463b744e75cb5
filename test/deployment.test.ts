import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, secretSettings, settings } from '../src/config.js';
import { MAX_BATCH_BYTES } from '../src/http/sale.controller.js';
import { ROLES } from '../src/setting-kinds.js';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

type Environment = Readonly<Record<string, string>>;
type Labels = Readonly<Record<string, string>>;
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type Container = {
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly object[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
} & { readonly [P in 'startupProbe' | 'livenessProbe' | 'readinessProbe']: Probe };
type PodSpec = {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: object }[];
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Environment;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
};

const manifests = (name: string): readonly Manifest[] =>
  parseAllDocuments(textOf(`docs/deployment/${name}`)).map((document) => document.toJS() as Manifest);
const [together, byRole] = [manifests('kubernetes.yaml'), manifests('kubernetes-roles.yaml')];
const deployments = [...together, ...byRole].filter(({ kind }) => kind === 'Deployment');
const containerOf = ({ spec }: Manifest): Container => spec.template.spec.containers[0];

const config = together.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
/** The settings listed in the comment on kontor.secrets. */
const secretNames = [
  ...textOf('docs/deployment/kubernetes.yaml').matchAll(/^# {3}((?:[A-Z_]+, )*[A-Z_]+)(?: {2}|$)/gm),
].flatMap(([, names = '']) => names.split(', '));
/** Well-formed values for the settings that users of the manifests must provide. */
const SAMPLES: Environment = {
  EVENTSTORE_URL: 'esdb://eventstore:2113',
  MONGODB_URL: 'mongodb://mongodb/kontor',
  NATS_URL: 'nats://nats:4222',
  REDIS_URL: 'redis://redis:6379',
  OPERATOR_PASSWORD: 'ten letters',
  METRICS_TOKEN: 'sixteen-characters',
  WEBHOOK_KEY: `${'A'.repeat(43)}=`,
};
const rolesOf = (environment: Environment): readonly string[] =>
  readConfig({ ...config, ...SAMPLES, ...environment }).ROLES;
const environmentOf = (manifest: Manifest): Environment =>
  Object.fromEntries((containerOf(manifest).env ?? []).map(({ name, value }) => [name, value]));

test('every name in the manifests is a setting, and the settings are valid', () => {
  const given = [
    ...Object.keys(config),
    ...secretNames,
    ...deployments.flatMap((each) => Object.keys(environmentOf(each))),
  ];
  expect(given).toEqual(expect.arrayContaining(['EVENTSTORE_URL', 'DATA_DIR', 'WEBHOOK_KEY', 'ROLES']));
  expect(given.filter((name) => !(name in settings.shape))).toEqual([]);
  expect(rolesOf({})).toEqual(ROLES);
});

test('every key that replicas must share is a secret of the manifests', () => {
  const generated = Object.entries(settings.shape)
    .filter(([, { description = '' }]) => description.includes('the same for all replicas'))
    .map(([name]) => name);
  expect(generated).toContain('JWT_SIGNING_KEY');
  expect(generated.filter((name) => !secretNames.includes(name) && !(name in config))).toEqual([]);
});

test('each layout does all the work, with more than one replica for each role', () => {
  for (const layout of [together, byRole]) {
    const own = layout.filter(({ kind }) => kind === 'Deployment');
    expect(own.flatMap((each) => rolesOf(environmentOf(each))).toSorted()).toEqual(ROLES.toSorted());
    for (const { spec } of own) expect(spec.replicas).toBeGreaterThan(1);
  }
});

test.each(deployments.map((each) => [each.metadata.name, each] as const))(
  'the pods of %s are probed, have time to drain, and are protected during maintenance',
  (_, manifest) => {
    const { metadata, spec } = manifest.spec.template;
    const container = containerOf(manifest);
    const port = container.ports.find(({ name }) => name === container.livenessProbe.httpGet.port)?.containerPort;
    expect(String(port)).toBe(config['PORT']);
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(paths.map(({ httpGet }) => httpGet.path)).toEqual(['/livez', '/livez', '/readyz']);
    // The preStop hook takes five seconds. The service then drains for at most ten seconds.
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
    expect(metadata.labels).toMatchObject(manifest.spec.selector.matchLabels);
    const budgets = [...together, ...byRole].filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map((budget) => budget.spec.selector.matchLabels)).toContainEqual(
      manifest.spec.selector.matchLabels,
    );
    const mounted = container.volumeMounts.map(({ name }) => name).toSorted();
    expect(mounted).toEqual(spec.volumes.map(({ name }) => name).toSorted());
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain(config['DATA_DIR']);
  },
);

test('the checkpoints of pods that sign or verify them, and the backups of pods that make them, outlive the pods', () => {
  const { DATA_DIR = '', BACKUP_DIR } = config;
  const needs = [
    [`${DATA_DIR}/checkpoints`, ['projections', 'jobs']],
    [BACKUP_DIR, ['jobs']],
  ] as const;
  for (const each of deployments) {
    const { volumes } = each.spec.template.spec;
    const kept = volumes.filter(({ persistentVolumeClaim }) => persistentVolumeClaim).map(({ name }) => name);
    const mounts = containerOf(each).volumeMounts.filter(({ name }) => kept.includes(name));
    const roles = rolesOf(environmentOf(each));
    for (const [path, users] of needs)
      if (users.some((role) => roles.includes(role)))
        expect([each.metadata.name, mounts.map(({ mountPath }) => mountPath)]).toEqual([
          each.metadata.name,
          expect.arrayContaining([path]),
        ]);
  }
});

test('only pods that serve requests receive requests', () => {
  const service = together.find(({ kind }) => kind === 'Service');
  const selector = service?.spec.selector as unknown as Labels;
  for (const each of deployments) {
    const { labels } = each.spec.template.metadata;
    const isSelected = Object.entries(selector).every(([name, value]) => labels[name] === value);
    expect([each.metadata.name, isSelected]).toEqual([
      each.metadata.name,
      rolesOf(environmentOf(each)).includes('http'),
    ]);
  }
});

describe('docker-compose.yml', () => {
  test('accepts bodies on its port that the service accepts', () => {
    const limitMiB = Number(/client_max_body_size (\d+)m;/.exec(textOf('docker-compose.yml'))?.[1]);
    expect(limitMiB * 1_048_576).toBeGreaterThan(MAX_BATCH_BYTES);
  });

  type Compose = { readonly services: Readonly<Record<string, { environment?: Environment; profiles?: string[] }>> };
  const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as Compose;
  const own = Object.entries(services).filter(([name]) => name.startsWith('kontor-'));

  test('passes every setting to every process, except those of the image and of development', () => {
    const taken = [...Object.keys(settings.shape), ...secretSettings.map((name) => `${name}_FILE`)];
    const fixed = ['NODE_ENV', 'PORT', 'HOST', 'DATA_DIR', 'SUBSCRIBERS', 'SEED_DEMO'];
    expect(own).toHaveLength(4);
    for (const [, { environment = {} }] of own) {
      expect(Object.keys(environment).filter((name) => !taken.includes(name))).toEqual([]);
      const isGiven = (name: string): boolean => name in environment || `${name}_FILE` in environment;
      expect(Object.keys(settings.shape).filter((name) => !isGiven(name))).toEqual(fixed);
    }
  });

  test('does all the work in both layouts', () => {
    const roles = (name: string, httpRoles: string): readonly string[] =>
      rolesOf({ ROLES: (services[name]?.environment?.['ROLES'] ?? '').replace('${HTTP_ROLES:-}', httpRoles) });
    const always = own.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
    expect(always).toEqual(['kontor-1', 'kontor-2']);
    for (const name of always) expect([roles(name, ''), roles(name, 'http')]).toEqual([ROLES, ['http']]);
    const rest = own.map(([name]) => name).filter((name) => !always.includes(name));
    expect(['http', ...rest.flatMap((name) => roles(name, ''))].toSorted()).toEqual(ROLES.toSorted());
  });
});

import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// Imports go in one direction: each folder of src/ may import only the folders listed here. src/app, src/main.ts and
// src/config.ts compose them.
const DOMAIN = ['aggregates', 'security', 'eventsourcing', 'ports'];
const READING = ['projections', 'projecting', 'observability'];
const mayImport = {
  ports: [],
  eventsourcing: ['ports'],
  security: ['eventsourcing', 'ports'],
  observability: [...DOMAIN],
  projecting: ['observability', 'security', 'eventsourcing', 'ports'],
  backup: ['eventsourcing', 'ports'],
  integrity: [...DOMAIN, 'observability'],
  aggregates: ['security', 'eventsourcing'],
  projections: [...DOMAIN, 'projecting'],
  commands: [...DOMAIN, 'projecting', 'observability', 'queries'],
  queries: [...DOMAIN, ...READING, 'backup', 'integrity'],
  integration: [...DOMAIN, 'commands', 'policies', 'projecting', 'observability'],
  policies: [...DOMAIN, 'commands', 'queries', 'projecting'],
  jobs: [...DOMAIN, ...READING, 'commands', 'queries', 'integration', 'backup', 'integrity'],
  http: [...DOMAIN, ...READING, 'commands', 'queries', 'integration', 'backup', 'integrity'],
  adapters: ['ports'],
};
const folders = Object.keys(mayImport);

// Pure folders, without frameworks and I/O.
const IMPURE = ['@nestjs/*', 'fastify', 'pino', '@photostructure/*', 'node:*', '!node:crypto', '!node:util'];
const pure = { aggregates: IMPURE, projections: IMPURE, ports: IMPURE };

// The composition of the service.
const composition = {
  regex: '^(\\.\\./)+(app/.+|config|main)\\.js$',
  message: 'The parts of the service may not import its composition.',
};

const importRules = folders.map((folder) => {
  const banned = folders.filter((other) => other !== folder && !mayImport[folder].includes(other));
  return {
    files: [`src/${folder}/**`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...banned.map((name) => ({
              // Ports that contain only functions.
              group: [
                `**/${name}/**`,
                ...(folder === 'aggregates'
                  ? ['!**/ports/', ...['glob-pattern', 'search', 'token'].map((name) => `!**/ports/${name}.js`)]
                  : []),
              ],
              message: `${folder} may not import ${name}`,
            })),
            ...(folder in pure ? [{ group: pure[folder], message: `${folder} are pure` }] : []),
            composition,
          ],
        },
      ],
    },
  };
});

const NO_CLOCK = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Take the time from a Clock.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the time from a Clock.' },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Take random values from a port.',
  },
];

// Signals of reconnecting and polling loops live for months.
const NO_ANY_SIGNAL = {
  selector: "MemberExpression[object.name='AbortSignal'][property.name='any']",
  message: 'On Node 20, each call leaks an entry at its signals. Add a listener that you remove instead.',
};

export default tseslint.config(
  { ignores: ['dist', 'data', 'node_modules', 'coverage', 'clients/typescript/src/schema.ts'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        // `projectService` needs a third more CPU time.
        project: ['tsconfig.json', 'console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['src/**', 'console/src/**', 'bench/**', 'scripts/**'],
    rules: { 'max-lines': ['error', 300], 'max-lines-per-function': ['error', 60], complexity: ['error', 10] },
  },
  {
    files: ['src/{aggregates,projections,commands,queries,policies,integration,http}/**'],
    rules: { 'no-restricted-syntax': ['error', ...NO_CLOCK] },
  },
  {
    files: ['src/adapters/**'],
    rules: { 'no-restricted-syntax': ['error', NO_ANY_SIGNAL] },
  },
  { files: ['src/**/*.module.ts', 'src/http/**'], rules: { '@typescript-eslint/no-extraneous-class': 'off' } },
  ...importRules,
  {
    files: ['console/src/**'],
    ...reactHooks.configs.flat.recommended,
    rules: {
      ...reactHooks.configs.flat.recommended.rules,
      // The console depends on the service only through its OpenAPI document.
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['**/../src/**', 'node:*'], message: 'The console must not import code of the service.' },
          ],
        },
      ],
    },
  },
  { files: ['**/*.mjs', '*.config.js'], ...tseslint.configs.disableTypeChecked },
);

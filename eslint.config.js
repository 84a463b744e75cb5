import tseslint from 'typescript-eslint';

// Imports point one way; what a folder may not name, by folder (src/app.module.ts and src/main.ts compose everything).
const mayNotImport = {
  ports: [
    'aggregates',
    'commands',
    'queries',
    'projections',
    'http',
    'integration',
    'policies',
    'jobs',
    'adapters',
    'platform',
  ],
  platform: ['aggregates', 'commands', 'queries', 'projections', 'http', 'integration', 'policies', 'jobs', 'adapters'],
  aggregates: ['commands', 'queries', 'projections', 'http', 'integration', 'policies', 'jobs', 'adapters', 'ports'],
  projections: ['commands', 'queries', 'http', 'integration', 'policies', 'jobs', 'adapters'],
  commands: ['queries', 'projections', 'http', 'integration', 'policies', 'jobs', 'adapters'],
  queries: ['commands', 'http', 'integration', 'policies', 'jobs', 'adapters'],
  integration: ['http', 'policies', 'jobs', 'adapters'],
  policies: ['http', 'integration', 'jobs', 'adapters'],
  jobs: ['http', 'adapters'],
  http: ['adapters', 'jobs', 'policies'],
  adapters: ['aggregates', 'commands', 'queries', 'projections', 'http', 'integration', 'policies', 'jobs', 'platform'],
};
const importRules = Object.entries(mayNotImport).map(([folder, banned]) => ({
  files: [`src/${folder}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: banned.map((name) => ({ group: [`**/${name}/**`], message: `${folder} may not import ${name}` })) },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist', 'data', 'node_modules', 'eslint.config.js', 'jest.config.js', '**/*.mjs', 'console'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['src/**'],
    rules: { 'max-lines': ['error', 300], 'max-lines-per-function': ['error', 60], complexity: ['error', 10] },
  },
  { files: ['src/**/*.module.ts', 'src/http/**'], rules: { '@typescript-eslint/no-extraneous-class': 'off' } },
  ...importRules,
);

import tseslint from 'typescript-eslint'

/** Files that still have a longer function. One that has none must leave the list (`test/architecture.test.ts`). */
export const STILL_LONG = [
  'scripts/verify/read-model-dump.ts',
  'scripts/verify/verify-on-mongo.ts',
  'src/adapters/http/sender.ts',
  'src/adapters/rabbitmq/keep-connected.ts',
  'src/adapters/sqlite/events/event-store.ts',
  'src/adapters/sqlite/read-models/fan-outs.ts',
  'src/adapters/sqlite/read-models/keep-read-models.ts',
  'src/adapters/sqlite/read-models/projection-store.ts',
  'src/adapters/sqlite/read-models/queries/reader-pool.ts',
  'src/adapters/sqlite/read-models/read-models.ts',
  'src/api/http/limits/rate-limits.ts',
  'src/api/records/openapi/object-paths.ts',
  'src/api/records/records.ts',
  'src/api/webhooks/webhooks.ts',
  'src/commands/support/number-sequence.ts',
  'src/commands/support/record-states.ts',
  'src/commands/support/unique-claims.ts',
  'src/commands/write-records.ts',
]

export const MOST_LINES = 80

export default tseslint.config(
  { ignores: ['node_modules', 'data', '.cache', '**/dist'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Ports are records of functions: nothing here has a `this` that could be lost.
      '@typescript-eslint/unbound-method': 'off',
      // Ports are asynchronous for the sake of remote engines; an embedded adapter may have nothing to await.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_$' }],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
    },
  },
  {
    // chai's assertions are property reads; command-line tools print.
    files: ['test/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off', 'no-console': 'off' },
  },
  {
    files: ['src/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts', 'clients/**/*.ts'],
    ignores: STILL_LONG,
    rules: { 'max-lines-per-function': ['error', MOST_LINES] },
  },
)

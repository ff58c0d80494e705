import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['node_modules', 'data', '.cache'] },
  {
    files: ['**/*.ts'],
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
)

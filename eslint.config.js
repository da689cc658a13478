import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: [
      '**/dist/',
      'coverage/',
      'docs/',
      '.artifacts/',
      '**/node_modules/',
      'test/types/fixtures/',
      'test/interop/fixtures/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Sources are erasable, so they declare no enum: an eighth of the time to lint would look for what is assigned to one.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // `onCancelled(() => fn(x))`: a void arrow is how callbacks are written here.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  // One program of TypeScript for each group of rooms: linted together, all of them would hold the types of every SDK.
  ...Object.entries({
    'tsconfig.src.json': ['src/**/*.ts'],
    'tsconfig.tests.json': ['test/**/*.ts', 'scripts/**/*.ts', '*.config.ts'],
    'tsconfig.programs.json': ['test/{interop,integration}/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'],
    'test/types/tsconfig.json': ['test/types/**/*.ts'],
    'audit/tsconfig.json': ['audit/**/*.ts'],
  }).map(([project, files]) => ({ files, languageOptions: { parserOptions: { project } } })),
  {
    // A test says things that production code must not: wrong arguments, half objects, thrown strings, no await.
    files: ['{test,examples,bench,scripts}/**/*.ts', 'audit/{test,bench}/**/*.ts', '*.config.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Kinds of nodes are written as their names, as in every rule of ESLint: an enum would be loaded for nothing else.
    files: ['audit/src/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-enum-comparison': 'off' },
  },
  {
    // What these files declare is there to be compiled, not to be used.
    files: ['test/types/**/*.ts'],
    rules: {
      '@typescript-eslint/no-duplicate-type-constituents': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
);

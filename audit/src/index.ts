/**
 * The rules as a plugin of ESLint's flat configuration.
 *
 * @module
 */
import type { TSESLint } from '@typescript-eslint/utils';

import { killTheTree } from './rules/kill-the-tree.ts';
import { orphans } from './rules/orphans.ts';
import { passSignal } from './rules/pass-signal.ts';
import { rethrowStops } from './rules/rethrow-stops.ts';
import { takeSignal } from './rules/take-signal.ts';

const rules = {
  'pass-signal': passSignal,
  'take-signal': takeSignal,
  'rethrow-stops': rethrowStops,
  'kill-the-tree': killTheTree,
  orphans,
};

const base = { meta: { name: 'desist-audit', namespace: 'desist' }, rules };

/** The rules that are on by default, as warnings. The parser has to give types. */
const recommended = {
  name: 'desist/recommended',
  plugins: { desist: base },
  rules: {
    'desist/pass-signal': 'warn',
    'desist/rethrow-stops': 'warn',
    'desist/kill-the-tree': 'warn',
  },
} satisfies TSESLint.FlatConfig.Config;

/**
 * The plugin.
 *
 * @example
 * ```ts fragment
 * import desist from 'desist-audit';
 *
 * export default [{ files: ['src/**\/*.ts'], ...desist.configs.recommended }];
 * ```
 */
const plugin = { ...base, configs: { recommended } };

export default plugin;

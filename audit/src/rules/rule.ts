/**
 * How the rules are made.
 *
 * @module
 */
import { ESLintUtils } from '@typescript-eslint/utils';

/** What a rule says of itself besides its text. */
export interface AuditDocs {
  /** Whether the rule is in the recommended configuration. */
  readonly recommended?: boolean;
}

/** Makes a rule with a page. */
export const createRule = ESLintUtils.RuleCreator<AuditDocs>(
  (name) => `https://www.npmjs.com/package/desist-audit#${name}`,
);

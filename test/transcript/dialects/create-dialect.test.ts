import { expect, it } from 'vitest';

import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { createDialect, rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';

it('makes a value that nobody can change, and that settling finds the rules in', () => {
  const rules = rulesOf({ dialect: anthropic });
  const again = createDialect(rules);
  expect(Object.isFrozen(again)).toBe(true);
  expect(rulesOf({ dialect: again })).toBe(rules);
});

it.each([undefined, null, 7, {}, { rules: null }, { rules: {} }])('refuses %j as a dialect', (value) => {
  expect(() => rulesOf({ dialect: value as never })).toThrow(/^options\.dialect must be a dialect, such as /);
});

it('checks by the rules of one dialect', () => {
  expect(anthropic.check([{ role: 'user', content: '' }]).map(({ rule }) => rule)).toEqual(['message-not-empty']);
  expect(() => anthropic.check([], { ids: 'mine' as never })).toThrow("options.ids must be one of 'keep', 'normalise'");
});

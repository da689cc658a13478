/** The step of the build that writes out the reads of fields. */
import { expect, it } from 'vitest';

import { inlineFields } from '../../scripts/inline-fields.ts';

it.each([
  ['a name', "f(field(message, 'content'));", 'f(message.content);'],
  ['a call', 'f(field(of(a, b), "id"));', 'f(of(a, b).id);'],
  ['one in another', 'field(field(a.b, "c"), "d") === 1;', 'a.b.c.d === 1;'],
  [
    'what wants parentheses',
    'f(field(a ?? {}, "b"), field(a?.b, "c"), field([a][0], "d"));',
    'f((a ?? {}).b, (a?.b).c, ([a][0]).d);',
  ],
  ['one beside a name that is not known', 'field(field(a, "b"), name);', 'field(a.b, name);'],
])('inlineFields writes out %s', (_what, code, expected) => {
  expect(inlineFields(code)).toBe(expected);
});

it.each([
  ['the function itself', 'function field(value, name) { return value[name]; }'],
  ['a name that is not known, or no word', 'field(value, name); other(value, "name"); field(value, "a-b");'],
  ['a name that a local variable takes', 'const g = (field) => field(a, "b");'],
])('inlineFields leaves alone %s', (_what, code) => {
  expect(inlineFields(code)).toBe(code);
});

import { expect, it } from 'vitest';

import { isHalfCall } from '../../../../src/transcript/reading/ends/half-call.ts';

const call = (given: string, input: unknown, type = 'function') => ({
  ...{ id: 'c1', name: 'write', input },
  raw: type === 'function' ? { type, function: { name: 'write', arguments: given } } : { type, custom: { input } },
});

it.each([
  ['arguments that end in the middle', call('{"path":"/tm', '{"path":"/tm'), false, true],
  ['arguments that are an object, though it is the last', call('{}', {}), true, false],
  ['no arguments, and it is the last', call('', {}), true, true],
  ['no arguments, and another one follows', call(' ', {}), false, false],
  ['a text that may end anywhere, and it is the last', call('', 'ls', 'custom'), true, true],
  ['a text that may end anywhere, and another one follows', call('', 'ls', 'custom'), false, false],
])('a call of a reply that was cut, with %s, is half: %#', (_what, given, isLast, isHalf) => {
  expect(isHalfCall(given, { isLast, isCut: true, reply: {} })).toBe(isHalf);
  expect(isHalfCall(given, { isLast, isCut: false, reply: {} }), 'the model came to its end').toBe(false);
});

import { expect, it } from 'vitest';

import { partsOf, textOf } from '../../../src/adapters/pi/shapes.ts';
import { callPart, replyOf, textPart } from './support/fake-pi.ts';

it('the parts of a message are those of its list, and of anything else none', () => {
  expect(partsOf(replyOf(textPart('a')))).toEqual([textPart('a')]);
  expect([partsOf({ content: 'a' }), partsOf(null), partsOf(7)]).toEqual([[], [], []]);
});

it('the words of a message are what was said, in any dialect, and nothing that was thought or called', () => {
  const thought = { type: 'thinking', thinking: 'hm', text: 'hm' };
  expect(textOf(replyOf(textPart('a'), thought, callPart('x'), textPart('b')).content)).toBe('ab');
  expect(textOf([{ role: 'tool', content: 'told' }])).toBe('told');
  expect(textOf([{ role: 'user', content: [{ type: 'tool_result', content: 'told' }] }])).toBe('told');
  expect(textOf([{ type: 'function_call_output', output: 'told' }])).toBe('told');
  expect([textOf(undefined), textOf(7), textOf({})]).toEqual(['', '', '']);
});

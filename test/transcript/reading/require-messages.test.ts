import { describe, expect, it } from 'vitest';

import { requireMessages } from '../../../src/transcript/reading/require-messages.ts';

describe('requireMessages', () => {
  it('takes what may be a transcript', () => {
    expect(() => requireMessages([])).not.toThrow();
    expect(() =>
      requireMessages([
        { role: 'user', content: 'x' },
        { role: 'x', content: [{ type: 'y' }] },
      ]),
    ).not.toThrow();
  });

  it.each([
    ['Hello', 'messages must be an array, got "Hello"'],
    [[null], 'messages[0] must be an object, got null'],
    [[{ role: 'user' }, { content: 'x' }], 'messages[1].role must be a string, got undefined'],
    [[{ role: 'user', content: [{ type: 'text' }, 'x'] }], 'messages[0].content[1] must be an object, got "x"'],
    [[{ role: 'user', content: [{}] }], 'messages[0].content[0].type must be a string, got undefined'],
  ])('refuses %j by its place', (messages, message) => {
    expect(() => requireMessages(messages)).toThrow(new TypeError(message));
  });

  it('asks a dialect that knows better', () => {
    const seen: unknown[] = [];
    requireMessages(['x', 7], (name, message) => seen.push([name, message]));
    expect(seen).toEqual([
      ['messages[0]', 'x'],
      ['messages[1]', 7],
    ]);
  });
});

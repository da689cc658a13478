import { describe, expect, it } from 'vitest';

import { requireId } from '../../src/sessions/session-id.ts';

describe('requireId', () => {
  it.each(['a', 'chat-7', '\u{1f600}'])('requireId takes %o', (id) => {
    expect(() => {
      requireId(id);
    }).not.toThrow();
  });

  it.each([undefined, null, '', 7, '\ud83d', 'a\udc00b'])('requireId refuses %o', (id) => {
    expect(() => {
      requireId(id);
    }).toThrow(TypeError);
  });
});

import { describe, expect, it } from 'vitest';

import { isClear, requireGroup, requireGroups, requireId } from '../../src/sessions/session-id.ts';

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

/** Zero width, direction, control, filler, half a pair, a space at an end, and what climbs out of its folder. */
const unclear = [
  'a\u200b',
  '\u202eb',
  'a\0b',
  'a\n',
  '\u3164',
  '\ud83d',
  ' a',
  'a ',
  'a/../b',
  'a//b',
  '/a',
  '.',
  'a\\b',
];

describe('the groups of a session', () => {
  it.each(unclear)('the groups of a session are refused where one is not what it looks like: %j', (name) => {
    expect(isClear(name)).toBe(false);
    expect(() => requireGroup(name)).toThrow(
      'group must hold nothing invisible, and no part of a path that climbs, got "',
    );
    expect(() => requireGroups(['user:7', name])).toThrow(TypeError);
  });

  it('the groups of a session are each there once, and refused where they are no names, too long, or too many', () => {
    expect(requireGroups(undefined)).toEqual([]);
    expect(requireGroups(['tenant:acme', 'user:7', 'tag:a/b é', 'user:7'])).toEqual([
      'tenant:acme',
      'user:7',
      'tag:a/b é',
    ]);
    expect(requireGroup('g'.repeat(128))).toHaveLength(128);
    expect(() => requireGroup('g'.repeat(129))).toThrow(RangeError);
    expect(() => requireGroup('')).toThrow('group must be a string such as \'tenant:acme\', got ""');
    expect(() => requireGroups('user:7')).toThrow('groups must be a list such as [\'tenant:acme\'], got "user:7"');
    expect(() => requireGroups(Array.from({ length: 9 }, (_, n) => String(n)))).toThrow(
      'groups must be at most 8, got 9',
    );
  });
});

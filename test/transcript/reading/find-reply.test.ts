import { describe, expect, it } from 'vitest';

import { createReplyFinder, holds, isEarlier, isLater } from '../../../src/transcript/reading/find-reply.ts';
import type { ReplyParts, ReplyReader } from '../../../src/transcript/reading/partials.ts';

const say = (prose: string, ids: string[] = [], seals: string[] = []): ReplyParts => ({
  prose,
  calls: ids,
  wholeCalls: ids.map((id) => ({ id, name: 'read', input: {} })),
  seals,
});
const same = (id: string): readonly string[] => [id];

describe('createReplyFinder', () => {
  const read: number[] = [];
  const messages = ['old', 'user', 'one', 'two', 'result', 'one'];
  const reader: ReplyReader<string> = {
    parts(message) {
      read.push(1);
      return message === 'user' || message === 'result' ? undefined : say(message);
    },
    isPrompt: (message) => message === 'user',
    fromCall: ({ id }) => id,
    fromPartial: () => undefined,
  };
  const finder = () => createReplyFinder(messages, reader, same);
  const find = (words: string, floor: number, before: number) =>
    finder().find(words, say(words), { floor, before, mayMerge: false });

  it('finds the last one between its bounds', () => {
    expect([find('one', 0, 6), find('one', 0, 5), find('one', 3, 5), find('three', 0, 6)]).toEqual([5, 2, -1, -1]);
  });

  it('reads nothing above the floor, and nothing twice', () => {
    read.length = 0;
    const own = finder();
    for (let i = 0; i < 10; i += 1) own.find('none', say('none'), { floor: 2, before: 6, mayMerge: false });
    expect(read).toHaveLength(4);
  });

  it('knows the last reply by its place and its number', () => {
    expect(finder().last({ floor: 2, before: 6 }, 3)).toBe(5);
    expect(finder().last({ floor: 2, before: 6 }, 4)).toBe(-1);
    expect(finder().last({ floor: 2, before: 5 }, 2)).toBe(3);
    expect(finder().last({ floor: 1, before: 2 }, 1)).toBe(-1);
    expect(finder().last({ floor: 0, before: 0 }, 0)).toBe(-1);
  });
});

describe('a reply beside a message', () => {
  it('is held where the message is it, perhaps with a mark', () => {
    expect(holds(say('a\n[cut]', ['x']), say('a', ['x']), same)).toBe(true);
    expect(holds(say('ab'), say('a'), same)).toBe(false);
  });

  it('is a later moment of a message that says nothing else', () => {
    expect(isEarlier(say('a'), say('ab', ['x'], []), same)).toBe(true);
    expect(isEarlier(say('', [], ['s']), say('a', [], ['st']), same)).toBe(true);
    expect(isEarlier(say(''), say('a'), same)).toBe(false);
    expect(isEarlier(say('a', ['x']), say('ab'), same)).toBe(false);
    expect(isEarlier(say('a', [], ['s']), say('ab', [], ['other']), same)).toBe(false);
  });

  it('is an earlier moment of a message that has all that it says', () => {
    expect(isLater(say('ab'), say('a'), same)).toBe(true);
    expect(isLater(say('ab', ['x']), say('a'), same)).toBe(true);
    expect(isLater(say('ab'), say(''), same)).toBe(false);
    expect(isLater(say('ab'), say('a', ['x']), same)).toBe(false);
  });
});

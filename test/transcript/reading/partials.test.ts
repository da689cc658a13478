import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { CancelKind } from '../../../src/core/foundation/cancel-kind.ts';
import { withPartials, type ReplyParts, type ReplyReader } from '../../../src/transcript/reading/partials.ts';

/** A message of a dialect for this test: `user: …` is a prompt, everything else a reply; a call is `#id`, or `#id?` if cut. */
const reader: ReplyReader<string> = {
  mayMerge: true,
  parts(message) {
    if (message.startsWith('user:')) return undefined;
    const words = message.split(' ');
    const calls = words.filter((word) => word.startsWith('#'));
    return {
      prose: words.filter((word) => !/^[#~]/.test(word)).join(' '),
      calls: calls.map((call) => call.replace(/[#?]/g, '')),
      wholeCalls: calls
        .filter((call) => !call.endsWith('?'))
        .map((call) => ({ id: call.slice(1), name: 'read', input: {} })),
      seals: words.filter((word) => word.startsWith('~')),
    } satisfies ReplyParts;
  },
  isPrompt: (message) => message.startsWith('user:'),
  fromCall: ({ id }) => `#${id}`,
  fromPartial: (value) => (typeof value === 'string' ? value : undefined),
};

const notes: string[] = [];
function lay(messages: readonly string[], ...partials: [value: unknown, kind?: CancelKind][]) {
  const { entries } = withPartials(
    messages,
    messages.map((message, from) => ({ message, from })),
    partials.map(([value, kind = 'user'], i) => ({ modelCall: i + 1, value, reason: createReason({ kind, at: 1 }) })),
    reader,
    { note: (_at, rule) => void notes.push(rule), outcomes: [] },
  );
  return entries.map(
    ({ message, added, cutBy, at }) =>
      `${at}${added === undefined ? '' : `+${added}`} ${message}${cutBy === undefined ? '' : ` (${cutBy.kind})`}`,
  );
}

describe('withPartials', () => {
  it('finds a reply of twenty thousand calls by the ids that a repair derived from them (G26)', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `#call${String(i)}`);
    const repaired = ids.map((id, i) => (i % 2 === 0 ? id : `${id}_copy2`)).reverse();
    expect(lay([repaired.join(' ')], [ids.join(' ')])).toHaveLength(1);
    expect(lay([`${repaired.join(' ')} #other`], [ids.join(' ')])).toHaveLength(2);
  });

  it('adds a reply that is missing at the end', () => {
    expect(lay(['user: hi'], ['I will'])).toEqual(['0 user: hi', '1+1 I will (user)']);
  });

  it('finds a reply that is there, with or without a mark below its text', () => {
    expect(lay(['user: hi', 'I will'], ['I will'])).toEqual(['0 user: hi', '1 I will (user)']);
    expect(lay(['user: hi', 'I will\n[cut]'], ['I will'])).toEqual(['0 user: hi', '1 I will\n[cut] (user)']);
  });

  it('finds a reply that a message cut within one that goes on from it, but none of another cut', () => {
    const merged = ['user: hi', 'I will\nuse pnpm ~s1 #a #b'];
    expect(lay(merged, ['I will #a', 'interjection'])).toHaveLength(2);
    expect(lay(merged, ['use pnpm', 'interjection'])).toEqual(merged.map((message, at) => `${String(at)} ${message}`));
    expect(lay(merged, ['I will #c', 'interjection'])).toHaveLength(3);
    expect(lay(merged, ['I will not', 'interjection'])).toHaveLength(3);
    expect(lay(merged, ['I will #a'])).toHaveLength(3);
  });

  it('says which replies it could not read, but for those of a tool that is itself an agent', () => {
    notes.length = 0;
    const inner = { text: 'I will', message: undefined, isOfTool: true };
    expect(lay(['user: hi'], [inner], [{ text: 'I will' }])).toEqual(['0 user: hi']);
    expect(notes).toEqual(['partial-unread']);
  });

  it('takes the last reply of the turn for the same at another moment where one of the two begins like the other', () => {
    expect(lay(['I will read'], ['I'])).toEqual(['0 I will read (user)']);
    expect(lay(['I'], ['I will read'])).toEqual(['0+1 I will read (user)']);
    expect(lay(['user: hi', 'I', 'user: so', 'I'], ['I will'])).toEqual([
      '0 user: hi',
      '1 I',
      '2 user: so',
      '3+1 I will (user)',
    ]);
  });

  it('takes a longer text for another reply where the turn has not had as many, or goes on behind it', () => {
    expect(lay(['I will read'], [''], ['I'])).toEqual(['0 I will read', '1+2 I (user)']);
    expect(lay(['I will read', 'user: so'], ['I'])).toHaveLength(3);
    expect(lay(['I will read', 'Other'], ['I'])).toHaveLength(3);
  });

  it('takes the same words of an older turn for another reply, unless a message of the user cut it', () => {
    expect(lay(['I will', 'user: again'], ['I will'])).toHaveLength(3);
    expect(lay(['I will', 'user: no, wait'], ['I will', 'interjection'])).toEqual([
      '0 I will (interjection)',
      '1 user: no, wait',
    ]);
  });

  it('takes a reply without its reasoning, or with other reasoning, for another, but not a mere text without it', () => {
    expect(lay(['I read'], ['I read ~s1'])).toHaveLength(2);
    expect(lay(['I read ~s1'], ['I read'])).toHaveLength(1);
    expect(lay(['I read ~s1'], ['I read a.txt'])).toEqual(['0 I read ~s1 (user)']);
    expect(lay(['I read ~s2'], ['I read ~s1'])).toHaveLength(2);
    expect(lay(['I read ~s1'], ['I read ~s1'])).toHaveLength(1);
  });

  it('compares calls by their ids, cut ones as far as they got', () => {
    expect(lay(['I read #a'], ['I read'])).toHaveLength(1);
    expect(lay(['I read #a'], ['I read #a #b?'])).toHaveLength(1);
    expect(lay(['I read #a?'], ['I read #a'])).toEqual(['0+1 I read #a (user)']);
    expect(lay(['I read #a_copy2'], ['I read #a'])).toHaveLength(1);
  });

  it('compares reasoning by its seals', () => {
    expect(lay(['~s1'], ['~s1'])).toHaveLength(1);
    expect(lay(['~s1'], ['~s2'])).toHaveLength(2);
    expect(lay(['~s1 x'], ['x'])).toHaveLength(1);
  });

  it('keeps replies in order: a missing one goes before the next that is there', () => {
    expect(
      lay(['user: hi', 'two', 'user: more', 'three'], ['one', 'deadline'], ['two', 'interjection'], ['three']),
    ).toEqual(['0 user: hi', '1+1 one (deadline)', '1 two (interjection)', '2 user: more', '3 three (user)']);
  });

  it('gives two replies of the same words two places', () => {
    expect(lay(['same', 'same'], ['same'], ['same'])).toHaveLength(2);
    expect(lay(['same'], ['same'], ['same'])).toHaveLength(2);
  });

  it('takes the message out of the reply of a fold', () => {
    expect(lay([], [{ message: 'I will', usage: {} }])).toEqual(['0+1 I will (user)']);
    expect(lay([], [{ message: 7 }], [null])).toEqual([]);
  });

  it('leaves out what is no message, and what says nothing that could be sent', () => {
    expect(lay(['user: hi'], [7], [''], ['#half?'])).toEqual(['0 user: hi']);
  });
});

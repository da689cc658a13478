import { expect, it } from 'vitest';

import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';
import { hostedCalls, type HostedReader, type HostedStep } from '../../../src/transcript/reading/hosted-calls.ts';

/** `a+` begins a, `a-` ends it, `a!` is asked for by it, `a=` is a call of ours, `?` is a person. */
const reader: HostedReader<readonly string[]> = {
  stepsIn: (message) =>
    message.flatMap((word): HostedStep | [] => {
      const kind = ({ '+': 'begun', '-': 'ended', '!': 'made', '=': 'own' } as const)[word[1] ?? ''];
      if (kind === undefined) return [];
      return { part: { word }, id: word[0], kind, name: word[0] };
    }),
  without: (message) => message.slice(1),
  turns: { isPrompt: ([word]) => word === '?', isReply: ([word]) => word === 'x' },
  user: (text) => ['?', text],
};
const { read, settle, begunIn } = hostedCalls(reader);

it.each([
  ['a result', [['x', 'a+', 'a-']], [], false],
  ['none', [['x', 'a+']], [], true],
  [
    'a result in a later reply',
    [
      ['x', 'a+'],
      ['x', 'a-'],
    ],
    [],
    false,
  ],
  [
    'none, and is asked for by a call behind it',
    [
      ['x', 'a+'],
      ['x', 'a!'],
    ],
    [],
    true,
  ],
  ['none, and the model spoke again', [['x', 'a+'], ['x']], ['a'], false],
  ['none, and a person spoke', [['x', 'a+'], ['?']], ['a'], false],
  ['none, and a call of ours has its id and a result', [['x', 'a=', 'a+'], ['a-'], ['x']], ['a'], false],
  [
    'none, and another has its id',
    [
      ['x', 'a+'],
      ['x', 'a+', 'a-'],
    ],
    ['a'],
    false,
  ],
])('a call of the provider with %s is open or lost', (_what, messages, lost, isOpen) => {
  expect(read(messages, false)).toEqual({ notes: lost.length === 0 ? [] : [lostNote(lost)], isOpen });
});

it('a call of the provider is lost where its result stands in the same reply or nowhere', () => {
  expect(hostedCalls({ ...reader, resultIn: 'reply' }).read([['x', 'a+']], false)).toEqual({
    notes: [lostNote(['a'])],
    isOpen: false,
  });
});

it('a call of the provider is lost where nobody goes on with it', () => {
  expect(read([['x', 'a+']], true)).toEqual({ notes: [lostNote(['a'])], isOpen: false });
});

it('messages of which nothing is lost are the same', () => {
  const messages = [
    ['x', 'a+'],
    ['x', 'a-'],
  ];
  expect(settle(messages, true)).toBe(messages);
});

it('a note says what was lost, by name', () => {
  expect(lostNote(['a', 'b'])).toContain('ran: a, b. It may have run');
});

it('what has begun and not ended may end behind it', () => {
  expect(begunIn([['x', 'a+'], ['x', 'b+'], ['b-'], ['?']])).toEqual(new Set(['a']));
});

it.each([
  ['reply', [lostNote(['a'])]],
  ['turn', [lostNote(['a'])]],
  [undefined, []],
] as const)('a call of the provider whose result stands in the same %s ends behind a person: %j', (resultIn, notes) => {
  const { read: readIt } = hostedCalls({ ...reader, ...(resultIn && { resultIn }) });
  expect(readIt([['x', 'a+'], ['?'], ['x', 'a-']], true).notes).toEqual(notes);
});

it('a call of the provider whose result stands in the same turn is open until a person speaks', () => {
  const { read: readIt } = hostedCalls({ ...reader, resultIn: 'turn' });
  expect([[['x', 'a+']], [['x', 'a+'], ['?']]].map((one) => readIt(one, false).isOpen)).toEqual([true, false]);
});

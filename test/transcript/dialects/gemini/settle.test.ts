import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../../src/transcript/index.ts';
import { cutReply } from '../../support/cut-reply.ts';
import { repairWith, type RepairWithOptions } from '../../support/repair-with.ts';
import { gemini, type GeminiContent } from '../../../../src/transcript/dialects/gemini/index.ts';

const dialect = gemini;
const reason = createReason({ kind: 'user', at: 1 });
const user = (...parts: object[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: object[]): GeminiContent => ({ role: 'model', parts });
const hello = user({ text: 'Hello' });
const says = model({ text: 'Hi.' });
const call = (name: string, more: object = {}): object => ({ functionCall: { name, args: {}, ...more } });
const signed = (part: object): object => ({ ...part, thoughtSignature: 'sig' });
const answer = (name: string, response: unknown = { output: 'ok' }, more: object = {}): object => ({
  functionResponse: { ...more, name, response },
});
const row = (id: string, more: object): ToolOutcome => ({ id, name: id, call: {}, ms: 1, ...more }) as ToolOutcome;

function settle(contents: readonly GeminiContent[], turn: Omit<RepairWithOptions<typeof dialect>, 'dialect'> = {}) {
  const settled = repairWith(contents, { dialect, ...turn });
  expect(checkTranscript(settled.messages, { dialect })).toEqual([]);
  const again = repairWith(settled.messages, { dialect, ...turn });
  expect(again.messages).toEqual(settled.messages);
  expect(again.changes).toEqual([]);
  return settled;
}

describe('S12 four outcomes in one turn of the user', () => {
  it('answers in the order of the calls, with the results that are there', () => {
    const calls = model(signed(call('done')), call('running'), call('queued'), call('asking'));
    const outcomes = [
      row('running', { status: 'unknown', reason }),
      row('queued', { status: 'not-started', reason }),
      row('asking', { status: 'declined' }),
    ];
    const { messages } = settle([hello, calls, user(answer('done'))], { outcomes });
    expect(messages).toEqual([
      hello,
      calls,
      user(
        answer('done'),
        answer('running', { error: wordingTable.user.unknown }),
        answer('queued', { error: wordingTable.user['not-started'] }),
        answer('asking', { error: wordingTable.unknown.declined }),
      ),
    ]);
    expect(messages[1]).toBe(calls);
  });

  it.each([
    [{ files: 2 }, { files: 2 }],
    ['text', { output: 'text' }],
    [[1, 2], { output: [1, 2] }],
    [undefined, { output: '' }],
    [{ sum: 1n }, { sum: '1' }],
  ])('gives the value %s as an object', (value, response) => {
    const { messages } = settle([hello, model(call('a', { id: 'x' }))], {
      outcomes: [row('x', { status: 'completed', value })],
    });
    expect(messages[2]).toEqual(user(answer('a', response, { id: 'x' })));
  });
});

describe('each rule is kept', () => {
  const rules = (...contents: GeminiContent[]): string[] =>
    settle(contents).changes.map(({ at, rule }) => `${String(at)} ${rule}`);

  it.each<[string, GeminiContent[]]>([
    ['1 call-answered', [hello, model(call('a')), hello]],
    ['1 call-answered', [hello, model(call('a')), hello, user(answer('a'))]],
    ['2 result-order', [hello, model(call('a'), call('b')), user(answer('b'), answer('a'))]],
    ['2 one-result-per-call', [hello, model(call('a')), user(answer('a'), answer('a', { output: 'more' }))]],
    ['2 result-content', [hello, model(call('a')), user(answer('a', 'ok'))]],
    ['2 result-order', [hello, model(call('a', { id: '1' })), user(answer('a'))]],
    ['0 result-has-call', [user(answer('a'), { text: 'x' })]],
    ['2 results-alone', [hello, model(call('a')), user(answer('a'), { text: 'x' })]],
    ['2 call-after-user', [hello, says, model(call('a')), user(answer('a'))]],
    ['2 function-role', [hello, model(call('a')), { role: 'function', parts: [answer('a'), { text: 'x' }] }]],
    ['0 call-after-user', [model(call('a')), user(answer('a'))]],
    ['0 call-by-model', [user({ text: 'x' }, call('a'))]],
    ['1 call-name', [hello, model({ text: 'x' }, { functionCall: {} })]],
    ['1 call-arguments', [hello, model({ text: 'x' }, call('a', { willContinue: true }))]],
    ['1 signature-first', [hello, model(call('a'), signed(call('b'))), user(answer('a'), answer('b'))]],
    ['1 message-not-empty', [hello, model(), hello]],
    ['0 part-not-empty', [user({ text: 'x' }, {})]],
  ])('%s', (change, contents) => {
    expect(rules(...contents)).toContain(change);
  });

  it.each([
    ['before', [user({ text: 'Go on.' }, answer('a'))]],
    ['after', [user(answer('a'), { text: 'Go on.' })]],
    ['in a turn before', [user({ text: 'Go on.' }), user(answer('a'))]],
    ['in a turn of their own', [user(answer('a')), user({ text: 'Go on.' })]],
  ])('leaves the responses alone in their turn, where the user’s words stood %s', (_where, said) => {
    const { messages } = settle([hello, model(call('a')), ...said, says]);
    expect(messages.slice(2)).toEqual([user(answer('a')), user({ text: 'Go on.' }), says]);
  });

  it('gives missing responses a turn of their own, and leaves the user’s as it is', () => {
    const settled = settle([hello, model(call('a')), hello]);
    expect(settled.messages).toEqual([hello, model(call('a')), user(expect.anything() as never), hello]);
    expect(settled.messages[3]).toBe(hello);
  });

  it('changes nothing about turns of one side that follow each other without a call', () => {
    expect(settle([hello, hello, says, says, hello]).changes).toEqual([]);
  });

  it('puts a turn with calls together with all that the model said before it', () => {
    const talk = [hello, says, model({ text: 'I read.' }), model(call('a')), user(answer('a')), model(call('b'))];
    const { messages } = settle([...talk, user(answer('b'))]);
    expect(messages.slice(0, 2)).toEqual([
      hello,
      model({ text: 'Hi.' }, { text: 'I read.' }, { text: '\n' }, call('a')),
    ]);
    expect(messages).toHaveLength(5);
  });

  it('moves the signature of a call that has to go to the first that stays', () => {
    const { messages } = settle([hello, model(signed({ functionCall: {} }), call('b')), user(answer('b'))]);
    expect(messages[1]).toEqual(model(signed(call('b'))));
  });

  it('empties a cut call that has a result', () => {
    const { messages } = settle([hello, model(call('a', { args: { x: 1 }, willContinue: true })), user(answer('a'))]);
    expect(messages.slice(1)).toEqual([model(call('a')), user(answer('a'))]);
  });

  it('keeps different results of one call side by side', () => {
    const { messages } = settle([hello, model(call('a')), user(answer('a'), answer('a', { output: 'more' }))]);
    expect(messages[2]).toEqual(user(answer('a', { results: [{ output: 'ok' }, { output: 'more' }] })));
  });

  it('tells calls of one name apart by their order', () => {
    const { messages } = settle([hello, model(call('a'), call('a')), user(answer('a', { output: '1' }))]);
    expect(messages[2]).toMatchObject(
      user(answer('a', { output: '1' }), answer('a', { error: wordingTable.unknown.unrecorded })),
    );
  });
});

describe('S18 a reply that was cut', () => {
  const mark = { text: `\n\n${wordingTable.user.cut}` };

  it('has a mark, its text and whole calls kept, its thoughts gone', () => {
    expect(cutReply(gemini, 'Half a')).toEqual([model({ text: 'Half a' }, mark)]);
    const value = { message: model({ text: 'Hm', thought: true }, { text: 'Half' }, { text: ' a' }, {}) };
    expect(cutReply(gemini, value)).toEqual([model({ text: 'Half' }, { text: ' a' }, mark)]);
    const calls = model(signed(call('a')), call('b', { willContinue: true }));
    expect(cutReply(gemini, calls)).toEqual([
      model(signed(call('a'))),
      user(answer('a', { error: wordingTable.user['not-started'] })),
    ]);
  });

  it.each([null, 7, {}, '', { role: 'user', parts: [] }, model({ text: 'Hm', thought: true })])(
    'is nothing for %j',
    (value) => {
      expect(cutReply(gemini, value)).toEqual([]);
    },
  );
});

describe('arguments that are no object', () => {
  it('become one where they are the JSON of one', () => {
    const { messages, changes } = settle([hello, model(call('a', { args: '{"n":1}' })), user(answer('a'))]);
    expect(messages[1]).toEqual(model(call('a', { args: { n: 1 } })));
    expect(changes.map(({ rule }) => rule)).toEqual(['call-arguments']);
  });

  it.each([['{"n":'], [[]], [5], [true]])(
    'are none for a call that has its response, and the call goes without one: %j',
    (args) => {
      expect(settle([hello, model(call('a', { args })), user(answer('a'))]).messages[1]).toEqual(model(call('a')));
      expect(settle([hello, model({ text: 'Hm.' }, call('a', { args }))]).messages[1]).toEqual(model({ text: 'Hm.' }));
      expect(gemini.calls(model(call('a', { args })))[0]?.input).toBe(args);
    },
  );

  it('are parsed for a loop', () => {
    expect(gemini.calls(model(call('a', { args: '{"n":1}' })))[0]?.input).toEqual({ n: 1 });
  });
});

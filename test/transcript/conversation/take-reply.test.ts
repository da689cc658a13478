import { expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { takeReply, type TakenReply } from '../../../src/transcript/conversation/take-reply.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';
import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';

const use = (id: string, name: string, input: unknown = {}): object => ({ type: 'tool_use', id, name, input });
const words = createWords(undefined);
let given: string[] = [];

function take(value: unknown, cutBy?: 'user'): TakenReply<AnthropicMessage> {
  given = [];
  return takeReply(rulesOf({ dialect: anthropic }), value, {
    cutBy: cutBy === undefined ? undefined : createReason({ kind: cutBy, at: 0 }),
    words,
    idOf: (id) => `${id}-${String(given.push(id))}`,
  });
}

it('gives each call an id of its own, and the name that the model said', () => {
  const { calls, runnable, messages } = take({ role: 'assistant', content: [use('a', 'a b'), use('', 'pay')] });
  expect(calls.map(({ id, name }) => [id, name])).toEqual([
    ['a-1', 'a b'],
    ['call_2-2', 'pay'],
  ]);
  expect(runnable).toEqual(calls);
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain('"name":"a_b"');
});

it('of a cut reply no call may run, and half a call is none', () => {
  const half = { ...use('b', 'pay'), input: '{"to":' };
  const reply = take({ message: { role: 'assistant', content: [use('a', 'pay'), half] }, isComplete: false });
  expect([reply.cutBy?.kind, reply.runnable, reply.calls.map(({ id }) => id)]).toEqual(['unknown', [], ['a-1']]);
  expect(take({ role: 'assistant', content: [{ type: 'text', text: 'hel' }] }, 'user').messages).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'hel' },
        { type: 'text', text: words('user', 'cut') },
      ],
    },
  ]);
});

it('of a reply that a limit ended the last call may not run', () => {
  const { calls, runnable } = take({
    role: 'assistant',
    stop_reason: 'max_tokens',
    content: [use('a', 'pay'), use('b', 'pay', { to: 'A' })],
  });
  expect([calls.length, runnable.map(({ id }) => id)]).toEqual([2, ['a-1']]);
});

it('names what the provider ran itself: to come after a whole reply, lost in a cut one, which something follows too', () => {
  const content = [
    { type: 'text', text: 'I send it.' },
    { type: 'mcp_tool_use', id: 'm1', name: 'send_mail', server_name: 's', input: {} },
  ];
  expect(take({ role: 'assistant', content })).toMatchObject({ isOpen: true, notes: [] });
  expect(take({ role: 'assistant', content }, 'user')).toMatchObject({
    isOpen: true,
    notes: [lostNote(['send_mail'])],
  });
});

it('refuses what is no reply, and takes one that says nothing', () => {
  expect(() => take(7)).toThrow('a reply of anthropic');
  expect(take({ role: 'assistant', content: [] })).toMatchObject({ messages: [], calls: [] });
  const rules = rulesOf({ dialect: openaiChat });
  const options = { cutBy: undefined, words, idOf: (id: string) => id };
  expect(takeReply(rules, { role: 'assistant', content: null }, options).messages).toEqual([]);
});

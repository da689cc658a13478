import { expect, it } from 'vitest';

import { idsOf, OllamaTranslation } from '../../../../src/transcript/dialects/ollama/translate.ts';

const call = (id: string | undefined, name: string, args: object = {}): object => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: args },
});

it('a transcript that nobody changed comes back as the same objects', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go.', images: ['abc'] },
    { role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [call(undefined, 'read')] },
    { role: 'tool', tool_name: 'read', content: 'x' },
  ];
  const translation = new OllamaTranslation();
  const back = translation.toOllama(translation.toChat(messages));
  expect(back.every((message, i) => message === messages[i])).toBe(true);
});

it('a reply that lost a call keeps everything else that it had', () => {
  const calls = [call('a', 'read'), call('b', 'list', { x: 1 })];
  const message = { role: 'assistant', content: 'Hm.', thinking: 'So.', tool_calls: calls };
  const translation = new OllamaTranslation();
  const [chat] = translation.toChat([message]) as unknown as [{ tool_calls: object[] }];
  const [back] = translation.toOllama([{ ...chat, tool_calls: chat.tool_calls.slice(1) } as never]);
  expect(back).toEqual({ role: 'assistant', content: 'Hm.', thinking: 'So.', tool_calls: calls.slice(1) });
  expect((back as unknown as typeof message).tool_calls[0]).toBe(calls[1]);
});

it('an id that comes again is a copy of the call only if tool and arguments are the same', () => {
  expect(idsOf([call('a', 'read'), call('a', 'read'), call('a', 'list')])).toEqual(['a', 'a', 'a_copy01']);
  expect(idsOf([call(undefined, 'read'), call('', 'list'), call(undefined, 'read')])).toEqual([
    'read#1',
    'list#1',
    'read#2',
  ]);
});

import { expect, it } from 'vitest';

import { writeRound, writerOf } from '../../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { round, silent } from './rounds.ts';

const user = { role: 'user', content: 'text<1>' };
const assistant = { role: 'assistant', content: 'text<2>' };

it('Chat Completions: arguments are JSON, as far as it came', () => {
  const part = (name: string, given: string) => ({ type: 'function', function: { name, arguments: given } });
  expect(writeRound(writerOf('openai-chat'), round)).toEqual([
    user,
    {
      ...assistant,
      tool_calls: [
        { id: 'a', ...part('read', '{"of":"call<3>"}') },
        part('read', '{"of":"call<4>"}'),
        { id: '', ...part('read', '{"of":"call<5') },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'result<3>' },
    { role: 'tool', tool_call_id: 'nobody', content: 'result<6>' },
  ]);
  expect(writeRound(writerOf('openai-chat'), silent)).toEqual([user, assistant]);
});

it('LangChain: a call that was cut stands among the invalid ones', () => {
  expect(writeRound(writerOf('langchain'), round)).toEqual([
    user,
    {
      ...assistant,
      tool_calls: [
        { id: 'a', name: 'read', args: { of: 'call<3>' } },
        { name: 'read', args: { of: 'call<4>' } },
      ],
      invalid_tool_calls: [{ id: '', name: 'read', args: '{"of":"call<5' }],
    },
    { role: 'tool', name: 'read', tool_call_id: 'a', content: 'result<3>' },
    { role: 'tool', name: 'read', tool_call_id: 'nobody', content: 'result<6>' },
  ]);
  expect(writeRound(writerOf('langchain'), silent)).toEqual([user, { ...assistant, tool_calls: [] }]);
});

it('Ollama: a result goes by the name of its tool', () => {
  expect(writeRound(writerOf('ollama'), round)).toEqual([
    user,
    {
      ...assistant,
      tool_calls: [
        { id: 'a', function: { name: 'read', arguments: { of: 'call<3>' } } },
        { function: { name: 'read', arguments: { of: 'call<4>' } } },
        { id: '', function: { name: 'read', arguments: '{"of":"call<5' } },
      ],
    },
    { role: 'tool', tool_name: 'read', tool_call_id: 'a', content: 'result<3>' },
    { role: 'tool', tool_name: 'nobody', tool_call_id: 'nobody', content: 'result<6>' },
  ]);
  expect(writeRound(writerOf('ollama'), silent)).toEqual([user, assistant]);
});

import { expect, it } from 'vitest';

import { writeRound, writerOf } from '../../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { round, silent } from './rounds.ts';

const user = { role: 'user', content: 'text<1>' };
const text = { type: 'text', text: 'text<2>' };

it('Anthropic: all results are blocks of one message', () => {
  const use = (id: object, input: unknown) => ({ type: 'tool_use', ...id, name: 'read', input });
  expect(writeRound(writerOf('anthropic'), round)).toEqual([
    user,
    {
      role: 'assistant',
      content: [
        text,
        use({ id: 'a' }, { of: 'call<3>' }),
        use({}, { of: 'call<4>' }),
        use({ id: '' }, '{"of":"call<5'),
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'result<3>' },
        { type: 'tool_result', tool_use_id: 'nobody', content: 'result<6>' },
      ],
    },
  ]);
  expect(writeRound(writerOf('anthropic'), silent)).toEqual([user, { role: 'assistant', content: [text] }]);
});

it('Gemini: calls and responses are parts, and a call that was cut would go on', () => {
  const asked = { role: 'user', parts: [{ text: 'text<1>' }] };
  const call = (id: object, mark: string, more = {}) => ({
    functionCall: { ...id, name: 'read', args: { of: mark }, ...more },
  });
  const response = (id: string, name: string, output: string) => ({
    functionResponse: { id, name, response: { output } },
  });
  expect(writeRound(writerOf('gemini'), round)).toEqual([
    asked,
    {
      role: 'model',
      parts: [
        { text: 'text<2>' },
        call({ id: 'a' }, 'call<3>'),
        call({}, 'call<4>'),
        call({ id: '' }, 'call<5>', { willContinue: true }),
      ],
    },
    { role: 'user', parts: [response('a', 'read', 'result<3>'), response('nobody', 'nobody', 'result<6>')] },
  ]);
  expect(writeRound(writerOf('gemini'), silent)).toEqual([asked, { role: 'model', parts: [{ text: 'text<2>' }] }]);
});

it('AI SDK: results are parts of a message of tools', () => {
  const call = (id: object, input: unknown) => ({ type: 'tool-call', ...id, toolName: 'read', input });
  const result = (toolCallId: string, value: string) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'read',
    output: { type: 'text', value },
  });
  expect(writeRound(writerOf('ai-sdk'), round)).toEqual([
    user,
    {
      role: 'assistant',
      content: [
        text,
        call({ toolCallId: 'a' }, { of: 'call<3>' }),
        call({}, { of: 'call<4>' }),
        call({ toolCallId: '' }, '{"of":"call<5'),
      ],
    },
    { role: 'tool', content: [result('a', 'result<3>'), result('nobody', 'result<6>')] },
  ]);
  expect(writeRound(writerOf('ai-sdk'), silent)).toEqual([user, { role: 'assistant', content: [text] }]);
});

it('AI SDK, a chat: a call holds its result, and an orphan is left out', () => {
  const asked = { id: 'text_1_', role: 'user', parts: [{ type: 'text', text: 'text<1>' }] };
  const said = [{ type: 'step-start' }, { ...text, state: 'done' }];
  const call = (id: object, mark: string, end: object) => ({
    type: 'dynamic-tool',
    toolName: 'read',
    ...id,
    input: { of: mark },
    ...end,
  });
  expect(writeRound(writerOf('ai-sdk-ui'), round)).toEqual([
    asked,
    {
      id: 'text_2_',
      role: 'assistant',
      parts: [
        ...said,
        call({ toolCallId: 'a' }, 'call<3>', { state: 'output-available', output: 'result<3>' }),
        call({}, 'call<4>', { state: 'input-available' }),
        call({ toolCallId: '' }, 'call<5>', { state: 'input-streaming' }),
      ],
    },
  ]);
  expect(writeRound(writerOf('ai-sdk-ui'), silent)).toEqual([asked, { id: 'text_2_', role: 'assistant', parts: said }]);
});

import { expect, it } from 'vitest';

import { historyOf } from '../../../../src/testing/model-server/reading/history.ts';
import { callIn, resultIn } from '../../../../src/testing/program/conversation/handed-out.ts';

const given = (n: number) => ({
  id: `call_q_${String(n)}`,
  name: 'bash',
  input: { command: `sh /run/${String(n)}.sh` },
});
const [one, two, three] = [given(1), given(2), given(3)] as const;

const chatCall = (id: string, n: number, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'bash', arguments: JSON.stringify({ ...more, command: `sh /run/${String(n)}.sh` }) },
});
const chat = (...messages: readonly object[]) => historyOf({ dialect: 'openai-chat', body: { messages } });
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

it('a call is known by the id that it was given, wherever it stands and whatever came before', () => {
  const history = chat(
    { role: 'assistant', tool_calls: [chatCall(three.id, 3), chatCall(two.id, 2)] },
    result(two.id, 'second'),
    result(three.id, 'third'),
  );
  expect([one, two, three].map((call) => resultIn(history, call)?.text)).toEqual([undefined, 'second', 'third']);
  expect(callIn(history, three)?.text).toContain('/run/3.sh');
  // A program that keeps less of the input keeps the id.
  expect(callIn(chat({ role: 'assistant', tool_calls: [chatCall(one.id, 9)] }), one)?.callId).toBe(one.id);
});

it('a result is known by the id alone, where a server keeps the call', () => {
  const input = [{ type: 'function_call_output', call_id: two.id, output: 'second' }];
  const history = historyOf({ dialect: 'openai-responses', body: { previous_response_id: 'r', input } });
  expect([one, two].map((call) => resultIn(history, call)?.text)).toEqual([undefined, 'second']);
});

it('a call is known by its input where all share an id, with a default that a program has added', () => {
  const step = (n: number, text: string) => [
    { role: 'assistant', tool_calls: [chatCall('call', n, { timeout: 9 })] },
    result('call', text),
  ];
  const history = chat(...step(1, 'first'), ...step(2, 'second'));
  expect([one, two, three].map((call) => resultIn(history, call)?.text)).toEqual(['first', 'second', undefined]);
  // A call without a result takes none of a later step.
  const left = chat(
    { role: 'assistant', tool_calls: [chatCall('call', 1)] },
    { role: 'user', content: 'go on' },
    ...step(2, 'second'),
  );
  expect([one, two].map((call) => resultIn(left, call)?.text)).toEqual([undefined, 'second']);
});

it('results without ids are those of their step, in its order', () => {
  const call = (n: number) => ({ functionCall: { name: 'bash', args: { command: `sh /run/${String(n)}.sh` } } });
  const answer = (output: string) => ({ functionResponse: { name: 'bash', response: { output } } });
  const contents = [
    { role: 'model', parts: [call(1)] },
    { role: 'user', parts: [answer('first')] },
    { role: 'model', parts: [call(2), call(3)] },
    { role: 'user', parts: [answer('second'), answer('third')] },
  ];
  const history = historyOf({ dialect: 'gemini', body: { contents } });
  const texts = [one, two, three].map((each) => resultIn(history, each)?.text);
  expect(texts).toEqual(['{"output":"first"}', '{"output":"second"}', '{"output":"third"}']);
});

it('a call without words in its input is known by its name', () => {
  const wait = { id: 'call_q_9', name: 'mcp__wait', input: {} };
  const history = chat(
    {
      role: 'assistant',
      tool_calls: [{ id: 'own', type: 'function', function: { name: 'mcp__wait', arguments: '{}' } }],
    },
    result('own', 'gone'),
  );
  expect(resultIn(history, wait)?.text).toBe('gone');
  expect(resultIn(history, { ...wait, name: 'other' })).toBeUndefined();
});

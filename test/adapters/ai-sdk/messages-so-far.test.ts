import { expect, it } from 'vitest';
import { messagesSoFar, turnMiddleware } from '../../../src/adapters/ai-sdk/index.ts';
import type { AIStreamPart } from '../../../src/adapters/ai-sdk/index.ts';
import { stage } from '../../core/interrupt/kit.ts';

const system = { role: 'system', content: 'be brief' };
const user = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const content = [
  { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: 's' } } },
  { type: 'text', text: 'Paying.' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{"amount":1}' },
  { type: 'source' },
];
const parts = [
  { type: 'stream-start' },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'hm' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 's' } } },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Pay' },
  { type: 'text-delta', id: '0', delta: 'ing.' },
  { type: 'text-end', id: '0' },
  { type: 'tool-input-start', id: 'c1', toolName: 'pay' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{"amount":1}' },
  { type: 'finish' },
];
const answer = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
    { type: 'text', text: 'Paying.' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: { amount: 1 } },
  ],
};

function streamOf(list: readonly AIStreamPart[]): ReadableStream<AIStreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of list) controller.enqueue(part);
      controller.close();
    },
  });
}

it.each(['whole', 'streamed'])('the messages so far are what was asked and answered, %s', async (how) => {
  const { agent } = stage();
  await agent.runTurn(async (turn) => {
    const { wrapGenerate, wrapStream } = turnMiddleware(turn);
    const params = { prompt: [system, user] };
    if (how === 'whole') await wrapGenerate({ params, model: { doGenerate: () => Promise.resolve({ content }) } });
    else {
      const doStream = () => Promise.resolve({ stream: streamOf(parts) });
      const { stream } = await wrapStream({ params, model: { doStream } });
      for (const reader = stream.getReader(); !(await reader.read()).done;);
    }
    expect(messagesSoFar(turn)).toEqual([user, answer]);
  });
});

it('a cut answer is not among them: it is in the partials', async () => {
  const { agent } = stage();
  let soFar: unknown;
  const report = await agent.runTurn(async (turn) => {
    const { wrapStream } = turnMiddleware(turn);
    const doStream = () => Promise.resolve({ stream: streamOf(parts.slice(0, 6)) });
    const { stream } = await wrapStream({ params: { prompt: [user] }, model: { doStream } });
    const reader = stream.getReader();
    for (let read = 0; read < 6; read++) await reader.read();
    agent.cancel('user');
    await reader.read().catch(() => undefined);
    soFar = messagesSoFar(turn);
  });
  expect(soFar).toEqual([user]);
  expect(report.partials).toMatchObject([{ value: { text: 'Pay' } }]);
});

it('arguments that are no JSON are no input, and what a request cannot hold is left out', async () => {
  const { agent } = stage();
  await agent.runTurn(async (turn) => {
    const odd = [
      { type: 'tool-call', toolCallId: 'a', toolName: 'a', input: '{"cut' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'b', input: '', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'b', toolName: 'b', result: 1 },
      { type: 'file', mediaType: 'text/plain', data: 'x' },
      { type: 'text', text: '' },
    ];
    const model = { doGenerate: () => Promise.resolve({ content: odd }) };
    await turnMiddleware(turn).wrapGenerate({ params: { prompt: [] }, model });
    expect(messagesSoFar(turn)[0]?.content).toEqual([
      { type: 'tool-call', toolCallId: 'a', toolName: 'a', input: {} },
      { type: 'tool-call', toolCallId: 'b', toolName: 'b', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'b', toolName: 'b', output: { type: 'json', value: 1 } },
      { type: 'file', mediaType: 'text/plain', data: 'x' },
    ]);
  });
});

import { expect, it, describe } from 'vitest';
import { underTurn } from '../../../src/adapters/ai-sdk/index.ts';
import type { AIModelCall } from '../../../src/adapters/ai-sdk/middleware.ts';
import type { AIStreamPart } from '../../../src/adapters/ai-sdk/streamed-text.ts';
import { lastWordsOf, messageOf } from '../../../src/adapters/ai-sdk/loop-record.ts';
import { aiSDK, type AISDKMessage } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';
import { stage } from '../../core/interrupt/kit.ts';
import { turnMiddleware } from './support/turn-middleware.ts';

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
const result = (toolCallId: string, value: string) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'pay', output: { type: 'text', value } }],
});

function streamOf(list: readonly AIStreamPart[]): ReadableStream<AIStreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of list) controller.enqueue(part);
      controller.close();
    },
  });
}

const whole = (list: readonly object[]) => ({ doGenerate: () => Promise.resolve({ content: list }) });
const streamed = (list: readonly AIStreamPart[]) => ({ doStream: () => Promise.resolve({ stream: streamOf(list) }) });

describe('what of a loop is in its conversation', () => {
  it.each(['whole', 'streamed'])('is each answer, %s, with what the SDK told its model of the calls', async (how) => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    await chat.runTurn(agent, 'go', async (turn) => {
      const { wrapGenerate, wrapStream } = turnMiddleware(turn);
      for (const prompt of [[user], [user, answer, result('c1', 'paid')]]) {
        const params = { prompt };
        const list = prompt.length === 1 ? content : [{ type: 'text', text: 'Done.' }];
        if (how === 'whole') await wrapGenerate({ params, model: whole(list) });
        else {
          const done = [
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: 'Done.' },
            { type: 'text-end', id: '0' },
            { type: 'finish' },
          ];
          const { stream } = await wrapStream({ params, model: streamed(prompt.length === 1 ? parts : done) });
          for (const reader = stream.getReader(); !(await reader.read()).done;);
        }
      }
    });
    const done = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };
    expect(chat.messages).toEqual([{ role: 'user', content: 'go' }, answer, result('c1', 'paid'), done]);
  });

  it('is an answer that was cut, as far as it had come', async () => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    const report = await chat.runTurn(agent, 'go', async (turn) => {
      const { stream } = await turnMiddleware(turn).wrapStream({
        params: { prompt: [user] },
        model: streamed(parts.slice(0, 6)),
      });
      const reader = stream.getReader();
      for (let read = 0; read < 6; read++) await reader.read();
      agent.cancel('user');
      await reader.read().catch(() => undefined);
    });
    expect(report.partials).toMatchObject([{ value: { text: 'Pay' } }]);
    expect(chat.messages).toMatchObject([{ role: 'user' }, { content: [{ type: 'text', text: 'Pay' }, {}] }]);
  });

  it('is an answer whose reader has left, as one that was cut', async () => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    await chat.runTurn(agent, 'go', async (turn) => {
      const endless = new ReadableStream<AIStreamPart>({
        start(controller) {
          for (const part of parts.slice(4, 6)) controller.enqueue(part);
        },
      });
      const model = {
        doStream: ({ abortSignal }: AIModelCall) => {
          const stream = endless.pipeThrough(new TransformStream(), { signal: abortSignal as AbortSignal });
          return Promise.resolve({ stream });
        },
      };
      const { stream } = await turnMiddleware(turn).wrapStream({ params: { prompt: [user] }, model });
      const reader = stream.getReader();
      for (let read = 0; read < 2; read++) await reader.read();
      await reader.cancel();
    });
    expect(chat.messages.slice(1)).toMatchObject([{ content: [{ type: 'text', text: 'Pay' }, {}] }]);
  });

  it('is nothing of what is asked aside, nor of what a tool asks', async () => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    const model = {
      specificationVersion: 'v3',
      modelId: 'm',
      doGenerate: (_params: AIModelCall) => Promise.resolve({ content: [{ type: 'text', text: 'beside' }] }),
      doStream: () => Promise.resolve({ stream: streamOf([]) }),
    };
    await chat.runTurn(agent, 'go', async (turn) => {
      const ask = (options?: object) => underTurn(turn, { model }, options).model.doGenerate({ prompt: [user] });
      await ask({ aside: true });
      await ask({ model: { aside: true } });
      await turn.tool({ id: 't', name: 'research' }, () => ask());
    });
    expect(chat.messages).toEqual([{ role: 'user', content: 'go' }]);
  });

  it('has each call by an id of its own, as the loop and its tools know it', async () => {
    const { agent } = stage();
    const chat = new Conversation<AISDKMessage>(aiSDK);
    const seen: unknown[] = [];
    await chat.runTurn(agent, 'go', async (turn) => {
      const { wrapGenerate } = turnMiddleware(turn);
      const model = whole(content);
      const first = await wrapGenerate({ params: { prompt: [user] }, model });
      const second = await wrapGenerate({ params: { prompt: [user, answer, result('c1', 'paid')] }, model });
      for (const { content: list } of [first, second]) seen.push((list[2] as { toolCallId?: string }).toolCallId);
    });
    expect(seen).toEqual(['c1', 'c1_copy2']);
    expect(JSON.stringify(chat.messages).split('"c1_copy2"')).toHaveLength(2);
  });
});

describe('an answer as a message', () => {
  it('leaves out what a request cannot hold, and takes arguments that are no JSON for none', () => {
    const odd = [
      { type: 'tool-call', toolCallId: 'a', toolName: 'a', input: '{"cut' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'b', input: '', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'b', toolName: 'b', result: 1 },
      { type: 'file', mediaType: 'text/plain', data: 'x' },
      { type: 'text', text: '' },
    ];
    expect(messageOf(odd).content).toEqual([
      { type: 'tool-call', toolCallId: 'a', toolName: 'a', input: {} },
      { type: 'tool-call', toolCallId: 'b', toolName: 'b', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'b', toolName: 'b', output: { type: 'json', value: 1 } },
      { type: 'file', mediaType: 'text/plain', data: 'x' },
    ]);
  });

  it('has last words where nothing more has to follow it', () => {
    const text = { type: 'text', text: 'Done.' };
    const said = messageOf([text]);
    expect(lastWordsOf(said)).toEqual({ text: 'Done.', message: said });
    expect([lastWordsOf(messageOf([])), lastWordsOf(messageOf([text, ...content]))]).toEqual([undefined, undefined]);
  });
});

/** The AI SDK's own loop under a turn: nothing starts after a stop, and everything that ran is accounted for. */
import type { LanguageModel, UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { delay, withCancellation, type Turn } from '../../src/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, sentTexts } from './stage.ts';
import { aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { itBare } from '../support/bare.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

const callSlow = { toolCalls: [{ name: 'slow', input: {} }] };
const twoSteps: ModelScript = [callSlow, 'All done.', 'too many'];

describe.each(loaded)('$name', ({ ai, openai }) => {
  async function stage(script: ModelScript, graceMs = 1000) {
    const base = await frameworkStage(script, { graceMs });
    const model: LanguageModel = openai.createOpenAI({ baseURL: base.baseURL, apiKey: 'none' }).chat('scripted');
    return { ...base, model };
  }
  const toolOf = (execute: (input: unknown, options: { abortSignal?: AbortSignal }) => unknown) =>
    ai.tool({ description: 'works', inputSchema: z.object({}), execute: execute });
  const loop = { prompt: 'go', stopWhen: ai.stepCountIs(5), maxRetries: 0 };

  it('S15 of a stopped stream onAbort is called, once, and no callback that says it finished', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
    const ended: string[] = [];
    const running = agent.runTurn((turn) => {
      const settings = {
        ...loop,
        model,
        onFinish: () => void ended.push('finish'),
        onEnd: () => void ended.push('end'),
        onAbort: () => void ended.push('abort'),
      };
      return readResult(turn.token, ai.streamText(underTurn(turn, settings)));
    });
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
    await delay(undefined, 30);
    agent.cancel('user');
    expect(await running).toMatchObject({
      status: 'cancelled',
      partials: [{ modelCall: 1, value: { text: 'one two', message: { role: 'assistant' } } }],
    });
    await delay(undefined, 100);
    expect(ended).toEqual(['abort']);
  });

  it('S15 a stop reaches what streamText returned, also if a model call of the turn or a bare call has ended with it', async () => {
    const script = [{ text: 'one two three four', silentAfter: 2 }];
    const { agent, server, model } = await stage([...script, ...script]);
    const read = async (signal: AbortSignal): Promise<{ textStream: AsyncIterable<string> }> =>
      ai.streamText({ ...loop, model, abortSignal: signal });
    const collect = async ({ textStream }: { textStream: AsyncIterable<string> }): Promise<string> => {
      let text = '';
      for await (const part of textStream) text += part;
      return text;
    };
    const texts: Promise<string>[] = [];
    const running = agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal }) => read(signal));
      if (reply.status === 'completed') texts.push(collect(reply.value));
      texts.push(collect(await withCancellation(turn.token, ({ signal }) => read(signal))));
      await Promise.all(texts);
    });
    await server.waitFor(({ requests }) => requests.length === 2 && requests.every((each) => each.deltasWritten >= 2));
    agent.cancel('user');
    expect((await running).status).toBe('cancelled');
    // They are silent for ever, and end.
    expect(await Promise.all(texts)).toHaveLength(2);
  });

  it('S15 of a stopped ToolLoopAgent onAbort is called, once, if the signal is in the call', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three four', silentAfter: 2 }]);
    const ended: string[] = [];
    const running = agent.runTurn(async (turn) => {
      // Version 7 takes the callback among the settings, version 6 in the call.
      const given = { onAbort: () => void ended.push('abort'), onFinish: () => void ended.push('finish') };
      const { abortSignal, ...settings } = underTurn(turn, { ...loop, model, ...given, abortSignal: undefined });
      const worker = new ai.ToolLoopAgent(settings);
      const call = { prompt: 'go', abortSignal, onAbort: settings.onAbort };
      return await readResult(turn.token, await worker.stream(call as never));
    });
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 2);
    await delay(undefined, 60);
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', partials: [{ value: { text: 'one two' } }] });
    await delay(undefined, 50);
    expect(ended).toEqual(['abort']);
    expect(server.requests).toHaveLength(1);
  });

  itBare('bare, a stopped stream simply ends', async () => {
    const { server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
    const stop = new AbortController();
    const result = ai.streamText({ ...loop, model, abortSignal: stop.signal });
    let text = '';
    setTimeout(() => {
      stop.abort();
    }, 250);
    for await (const piece of result.textStream) text += piece;
    expect('one two three four'.startsWith(text)).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  describe('S21 a message', () => {
    it('with delivery now cuts the words, which stay, and is answered in the same stream', async () => {
      const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }, 'Right, pnpm.']);
      const types: string[] = [];
      const running = agent.runTurn((turn) =>
        readResult(turn.token, ai.streamText(underTurn(turn, { ...loop, model })), ({ type }) => {
          types.push(type);
        }),
      );
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      await delay(undefined, 30);
      agent.interject('use pnpm', { delivery: 'now' });
      const report = await running;
      expect(report.unwrap()).toBe('one twoRight, pnpm.');
      expect(report.partials).toMatchObject([{ value: { text: 'one two' }, reason: { kind: 'interjection' } }]);
      expect(sentTexts(server, 2).slice(-2)).toEqual(['assistant: one two', 'user: [PRIORITY USER MESSAGE]: use pnpm']);
      expect(types.filter((type) => type === 'finish-step')).toHaveLength(1);
      expect(types.filter((type) => type === 'text-start')).toHaveLength(2);
    });

    it('with delivery now leaves no item of the cut answer in later requests, which no provider has stored', async () => {
      const { agent, server, baseURL } = await stage([
        { thinking: 'Hm, let me think.', text: 'I would use npm for this', chunkMs: 30 },
        { text: 'With pnpm, then.', toolCalls: [{ name: 'slow', input: {} }] },
        'Installed.',
      ]);
      const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).responses('gpt-5');
      const tools = { slow: toolOf(() => Promise.resolve('ok')) };
      let isTold = false;
      const report = await agent.runTurn((turn) =>
        readResult(turn.token, ai.streamText(underTurn(turn, { ...loop, model, tools, maxRetries: 0 })), ({ type }) => {
          if (type !== 'text-delta' || isTold) return;
          isTold = true;
          agent.interject('use pnpm', { delivery: 'now' });
        }),
      );
      expect(report.status).toBe('completed');
      expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
      const sent = JSON.stringify(server.requests[2]?.body['input']);
      expect(sent).not.toContain('rs_1');
      expect(sent).toContain('use pnpm');
    });
  });

  it('is made of parts that can be used apart: its model and guardTools', async () => {
    const { agent, server, model } = await stage(twoSteps, 0);
    const work = deafWork();
    const tools = guardTools({ slow: toolOf(work.run) }, { graceMs: 0 });
    const running = agent.runTurn((turn) =>
      ai.generateText({
        ...loop,
        model: underTurn(turn, { model }).model,
        tools,
        abortSignal: turn.signal,
      }),
    );
    await work.started;
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
    expect(server.requests).toHaveLength(1);
    work.end.resolve('');
  });

  it('leaves a failure of the model what it is', async () => {
    const { agent, model } = await stage([
      { status: 400, message: 'no such model' },
      { status: 400, message: 'no' },
    ]);
    const body = (turn: Turn) => ai.generateText(underTurn(turn, { ...loop, model }));
    expect(await agent.runTurn(body)).toMatchObject({ status: 'failed', error: { message: 'no such model' } });
    const report = await agent.runTurn((turn) =>
      readResult(turn.token, ai.streamText({ ...underTurn(turn, { ...loop, model }), onError: () => undefined })),
    );
    expect(report).toMatchObject({ status: 'failed', error: { statusCode: 400 } });
  });

  describe('S17 a stopped chat', () => {
    const messages = [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Let me', state: 'streaming' },
          { type: 'tool-slow', toolCallId: 'a', state: 'input-available', input: { n: 1 } },
          { type: 'dynamic-tool', toolName: 'slow', toolCallId: 'b', state: 'input-streaming', input: undefined },
          { type: 'tool-slow', toolCallId: 'c', state: 'output-available', input: {}, output: 'ok' },
        ],
      },
    ] as unknown as UIMessage[];

    itBare('bare, leaves calls without results', async () => {
      const history = await ai.convertToModelMessages(messages);
      expect(answered(history)).toEqual(['c']);
    });

    it('settled, is a history in which every whole call has its one result', async () => {
      const { messages: settled } = repairWith(messages, { dialect: aiSDKUI });
      const history = await ai.convertToModelMessages(settled);
      expect(answered(history)).toEqual(['a', 'c']);
      const { server, model } = await stage(['Hello again.']);
      const { text } = await ai.generateText({ model, messages: [...history, { role: 'user', content: 'and now?' }] });
      expect(text).toBe('Hello again.');
      expect(server.requests).toHaveLength(1);
    });
  });
});

function answered(history: readonly { role: string; content: unknown }[]): string[] {
  return history
    .flatMap(({ role, content }) => (role === 'tool' ? (content as { toolCallId: string }[]) : []))
    .map(({ toolCallId }) => toolCallId);
}

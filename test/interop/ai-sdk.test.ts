/** The AI SDK's own loop under a turn: nothing starts after a stop, and everything that ran is accounted for. */
import type { LanguageModel, UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readResult, turnMiddleware, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { delay, guardTools, type Turn } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { settleTranscript } from '../../src/transcript/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, msUntil, sentTexts, settlesWithin } from './stage.ts';

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

  describe('S01 a deaf tool', () => {
    it('hangs the bare loop', async () => {
      const { agent, model } = await stage(twoSteps);
      const work = deafWork();
      const turn = agent.runTurn(({ signal }) =>
        ai
          .generateText({ ...loop, model, tools: { slow: toolOf(work.run) }, abortSignal: signal })
          .then(undefined, () => 0),
      );
      await work.started;
      const bare = agent.cancel();
      expect(await settlesWithin(bare.settled, 300)).toBe(false);
      work.end.resolve('at last');
      await turn;
    });

    it.each(['generateText', 'streamText'] as const)('does not hang %s under a turn, and is named', async (way) => {
      const { agent, server, model } = await stage(twoSteps, 0);
      const work = deafWork();
      const running = agent.runTurn(async (turn) => {
        const settings = underTurn(turn, { ...loop, model, tools: { slow: toolOf(work.run) } });
        if (way === 'generateText') return (await ai.generateText(settings)).text;
        return await readResult(turn.token, ai.streamText(settings));
      });
      await work.started;
      const receipt = agent.cancel('user');
      expect(await msUntil(running)).toBeLessThan(100);
      const report = await running;
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
      expect(report.calls).toMatchObject([{ name: 'slow', status: 'unknown' }]);
      expect((await receipt.settled).abandoned).toContain('slow');
      expect(server.requests).toHaveLength(1);
      work.end.resolve('at last');
      await delay(undefined, 50);
      expect(server.requests).toHaveLength(1);
    });
  });

  it('S02 nothing starts after Stop: not the next call of a batch, not the model, not a message', async () => {
    const calls = [1, 2, 3].map((n) => ({ name: 'slow', input: { n } }));
    const { agent, server, model } = await stage([{ toolCalls: calls }, 'too many']);
    const ran = vi.fn();
    const execute = vi.fn(() => {
      ran();
      agent.interject('and another thing');
      agent.cancel('user');
      return 'done';
    });
    const report = await agent.runTurn(async (turn) => {
      const settings = { ...loop, model, tools: { slow: toolOf(execute) }, onStepFinish: () => undefined };
      return (await ai.generateText(underTurn(turn, settings))).text;
    });
    expect(report.status).toBe('cancelled');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(report.calls.map(({ status }) => status)).toEqual(['completed', 'not-started', 'not-started']);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['and another thing']);
    expect(server.requests).toHaveLength(1);
  });

  it('S03 a deaf tool that succeeds after the stop leads to no second model request', async () => {
    const { agent, server, model, events } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn(async (turn) =>
      ai.generateText(underTurn(turn, { ...loop, model, tools: { slow: toolOf(work.run) } })),
    );
    await work.started;
    setTimeout(work.end.resolve, 300, 'it worked');
    agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(50);
    await delay(undefined, 600);
    expect(server.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'slow', status: 'completed' }]);
  });

  it('S11 a tool that finishes after the stop is completed, and the loop goes no further', async () => {
    const { agent, server, model } = await stage(twoSteps);
    const report = await agent.runTurn(async (turn) => {
      const slow = toolOf(async () => {
        agent.cancel('user');
        await delay(undefined, 20);
        return 'written';
      });
      return (await ai.generateText(underTurn(turn, { ...loop, model, tools: { slow } }))).text;
    });
    expect(report).toMatchObject({ status: 'cancelled', calls: [{ status: 'completed', value: 'written' }] });
    expect(server.requests).toHaveLength(1);
  });

  it('S07 a stop of one turn never touches the next', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three', chunkMs: 100 }, 'Hello.']);
    const body = (turn: Turn) => readResult(turn.token, ai.streamText(underTurn(turn, { ...loop, model })));
    const first = agent.runTurn(body);
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten);
    const receipt = agent.cancel('user');
    expect((await first).status).toBe('cancelled');
    const second = agent.runTurn(body);
    agent.cancel('user', { turnId: receipt.turnId ?? 0 });
    expect((await second).unwrap()).toBe('Hello.');
  });

  it('S15 a stopped stream is cancelled, not complete; its words are kept, its socket closed', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
    const ended: string[] = [];
    const parts: string[] = [];
    const running = agent.runTurn((turn) => {
      const settings = {
        ...loop,
        model,
        onFinish: () => void ended.push('finish'),
        onAbort: () => void ended.push('abort'),
      };
      return readResult(turn.token, ai.streamText(underTurn(turn, settings)), ({ type }) => {
        parts.push(type);
      });
    });
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
    await delay(undefined, 30);
    agent.cancel('user');
    const stoppedAt = parts.length;
    const report = await running;
    expect(report).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'user' },
      partials: [{ modelCall: 1, value: { text: 'one two', message: { role: 'assistant' } } }],
    });
    expect(parts).toHaveLength(stoppedAt);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect(ended.filter((end) => end === 'finish')).toEqual([]);
    expect(ended.length).toBeLessThan(2);
  });

  it('bare, a stopped stream simply ends', async () => {
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

  it('S10 a silent model is an idle limit, and its words are kept', async () => {
    const { agent, model } = await stage([{ text: 'one two three', silentAfter: 2 }]);
    const report = await agent.runTurn((turn) =>
      readResult(turn.token, ai.streamText(underTurn(turn, { ...loop, model }, { model: { idleMs: 150 } }))),
    );
    expect(report).toMatchObject({ status: 'failed', error: { name: 'TimeoutError', reason: { kind: 'idle' } } });
    expect(report.partials).toMatchObject([{ value: { text: 'one two' }, reason: { kind: 'idle' } }]);
  });

  describe('S21 a message', () => {
    it('is told in the next model call, once, and again to every later one of the loop', async () => {
      const { agent, server, model, events } = await stage([callSlow, callSlow, 'All done.']);
      let calls = 0;
      const slow = toolOf(() => {
        if (++calls === 1) agent.interject('use pnpm');
        return 'ok';
      });
      const report = await agent.runTurn(
        async (turn) => (await ai.generateText(underTurn(turn, { ...loop, model, tools: { slow } }))).text,
      );
      expect(report.unwrap()).toBe('All done.');
      expect(report.undelivered).toEqual([]);
      const told = (request: number) => sentTexts(server, request).filter((text) => text.includes('pnpm'));
      expect([1, 2, 3].map(told)).toEqual([
        [],
        ['user: [PRIORITY USER MESSAGE]: use pnpm'],
        ['user: [PRIORITY USER MESSAGE]: use pnpm'],
      ]);
      expect(sentTexts(server, 3).findIndex((text) => text.includes('pnpm'))).toBe(3);
      expect(events.filter(({ type }) => type === 'interjection-delivered')).toHaveLength(1);
    });

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

    it('S22 before a cancel comes back undelivered', async () => {
      const { agent, server, model } = await stage(twoSteps);
      const slow = toolOf(() => {
        agent.interject('use pnpm');
        agent.cancel('user');
        return 'ok';
      });
      const report = await agent.runTurn((turn) =>
        ai.generateText(underTurn(turn, { ...loop, model, tools: { slow } })),
      );
      expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
      expect(server.requests).toHaveLength(1);
    });
  });

  it('is made of parts that can be used apart: wrapLanguageModel and guardTools', async () => {
    const { agent, server, model } = await stage(twoSteps, 0);
    const work = deafWork();
    const tools = guardTools({ slow: toolOf(work.run) }, { graceMs: 0 });
    const running = agent.runTurn((turn) =>
      ai.generateText({
        ...loop,
        model: ai.wrapLanguageModel({ model: model, middleware: turnMiddleware(turn) }),
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

    it('bare, leaves calls without results', async () => {
      const history = await ai.convertToModelMessages(messages);
      expect(answered(history)).toEqual(['c']);
    });

    it('settled, is a history in which every whole call has its one result', async () => {
      const { messages: settled } = settleTranscript(messages, { dialect: 'ai-sdk' });
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

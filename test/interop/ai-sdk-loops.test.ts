/** Loops of the AI SDK that change what they are made of on the way: hooks, agents as tools, signals of their own. */
import type { LanguageModel, ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { delay, InterruptController } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { eventually } from '../support/eventually.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { chatOfAISDK, checkedAISDK } from './support/settle-history.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

const given: ModelMessage[] = [
  { role: 'user', content: 'old question' },
  { role: 'assistant', content: 'old answer' },
  { role: 'user', content: 'new question' },
];

describe.each(loaded)('$name', ({ ai, openai }) => {
  async function stage(script: ModelScript, graceMs = 1000) {
    const base = await frameworkStage(script, { graceMs });
    const provider = openai.createOpenAI({ baseURL: base.baseURL, apiKey: 'none' });
    const modelOf = (name: string): LanguageModel => provider.chat(name);
    return { ...base, modelOf };
  }
  const toolOf = (execute: (input: unknown, options: { abortSignal?: AbortSignal }) => unknown) =>
    ai.tool({ description: 'works', inputSchema: z.object({}), execute });
  const stop = { stopWhen: ai.stepCountIs(4), maxRetries: 0 };

  it('S17 what a tool keeps from the model stays kept after a stop', async () => {
    const { agent, modelOf } = await stage([
      {
        toolCalls: [
          { name: 'balance', input: {} },
          { name: 'wait', input: {} },
        ],
      },
      'Seen.',
    ]);
    const balance = ai.tool({
      description: 'looks',
      inputSchema: z.object({}),
      execute: () => Promise.resolve('4711'),
      toModelOutput: () => ({ type: 'text', value: '***' }) as const,
    });
    const wait = toolOf(async (_input, { abortSignal }) => {
      agent.cancel('user');
      await delay(abortSignal, 60_000);
    });
    const chat = chatOfAISDK(given);
    const report = await chat.runTurn(agent, undefined, (turn) => {
      const { messages } = chat;
      const settings = { ...stop, model: modelOf('m'), messages, tools: { balance, wait }, onError() {} };
      return readResult(turn.token, ai.streamText(underTurn(turn, settings)));
    });
    expect(report.calls.map(({ name, status }) => `${name} ${status}`)).toEqual(['balance completed', 'wait stopped']);
    expect(JSON.stringify(chat.messages)).toContain('***');
    expect(JSON.stringify(chat.messages)).not.toContain('4711');
  });

  it('a call that a person allowed is in no stored list as one to run, once it has begun', async () => {
    const { agent, modelOf } = await stage([{ toolCalls: [{ name: 'pay', input: {} }] }, 'Done.', 'Done.']);
    const stored: string[] = [];
    const bank = deferred<string>();
    let paid = 0;
    const pay = ai.tool({
      inputSchema: z.object({}),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way that both majors have
      needsApproval: true,
      execute: () => {
        paid += 1;
        return paid === 1 ? bank.promise : 'paid';
      },
    });
    const goOn = (chat: ReturnType<typeof chatOfAISDK<ModelMessage>>, prompt?: string | ModelMessage, of = agent) =>
      chat.runTurn(of, prompt, (turn) => {
        const settings = { ...stop, model: modelOf('m'), messages: chat.messages, tools: { pay }, onError() {} };
        return readResult(turn.token, ai.streamText(underTurn(turn, settings)));
      });
    const chat = chatOfAISDK<ModelMessage>();
    await goOn(chat, 'Pay 10.');
    chat.onChange((messages) => stored.push(JSON.stringify(messages)));
    const parts = chat.messages.flatMap(({ content }) => content as { type: string; approvalId?: string }[]);
    const { approvalId = '' } = parts.find(({ type }) => type === 'tool-approval-request') ?? {};
    const yes = { type: 'tool-approval-response', approvalId, approved: true } as const;
    const running = goOn(chat, { role: 'tool', content: [yes] });
    await eventually(() => {
      expect(paid).toBe(1);
    });
    // The process dies here, and another one goes on with what it had stored.
    const next = chatOfAISDK<ModelMessage>(JSON.parse(stored.at(-1) ?? '[]') as ModelMessage[]);
    expect(JSON.stringify(next.messages)).toContain('It may have run');
    expect(checkedAISDK(next.messages)).toEqual([]);
    await goOn(next, undefined, new InterruptController());
    bank.resolve('paid');
    await running;
    expect(paid).toBe(1);
    expect(JSON.stringify(chat.messages)).not.toContain('It may have run');
  });

  it.each(['length', 'content_filter'])(
    'a call whose reply ended early (%s) waits for nobody: the loop runs none of that',
    async (end) => {
      const { agent, modelOf } = await stage([{ toolCalls: [{ name: 'pay', input: {} }], stopReason: end }]);
      const tools = { pay: toolOf(() => 'paid') };
      const chat = chatOfAISDK(given);
      const report = await chat.runTurn(agent, undefined, (turn) => {
        const settings = { ...stop, model: modelOf('m'), messages: chat.messages, tools, onError() {} };
        return readResult(turn.token, ai.streamText(underTurn(turn, settings)));
      });
      expect(report.status).toBe('completed');
      expect(checkedAISDK(chat.messages)).toEqual([]);
    },
  );

  it.each([
    ['leaves out', (messages: ModelMessage[]) => messages.slice(-2)],
    ['adds', (messages: ModelMessage[]): ModelMessage[] => [...messages, { role: 'user', content: 'for this step' }]],
  ])('S45 what the hook of a step %s is not what the conversation holds', async (_what, change) => {
    const { agent, server, modelOf } = await stage([
      { text: 'one', toolCalls: [{ name: 'look', input: {} }] },
      { text: 'two', toolCalls: [{ name: 'look', input: {} }] },
      { silent: true },
    ]);
    const chat = chatOfAISDK(given);
    const running = chat.runTurn(agent, undefined, async (turn) => {
      const settings = { ...stop, model: modelOf('m'), messages: given, tools: { look: toolOf(() => 'looked') } };
      const prepareStep = (step: { messages: ModelMessage[] }) => ({ messages: change(step.messages) });
      await ai.generateText(underTurn(turn, { ...settings, prepareStep }));
    });
    await server.waitFor(({ requests }) => requests.length === 3);
    agent.cancel('user');
    expect((await running).status).toBe('cancelled');
    expect(chat.messages.slice(0, 3)).toEqual(given);
    expect(chat.messages.slice(3).map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
    expect(JSON.stringify(chat.messages)).not.toContain('for this step');
  });

  it('S13 a message told in a step whose prompt the hook made is in the conversation, once, in its place', async () => {
    const { agent, modelOf } = await stage([
      { text: 'one', toolCalls: [{ name: 'look', input: {} }] },
      { text: 'two', toolCalls: [{ name: 'look', input: {} }] },
      'three',
    ]);
    let count = 0;
    const chat = chatOfAISDK(given);
    await chat.runTurn(agent, undefined, async (turn) => {
      const look = toolOf(() => {
        count += 1;
        if (count === 1) agent.interject('use pnpm');
        return 'looked';
      });
      const prepareStep = ({ messages }: { messages: ModelMessage[] }) => ({ messages: messages.slice(-2) });
      const settings = { ...stop, model: modelOf('m'), messages: given, tools: { look }, prepareStep };
      await ai.generateText(underTurn(turn, settings));
    });
    const said = chat.messages.map(({ role, content }) =>
      JSON.stringify(content).includes('use pnpm') ? 'told' : role,
    );
    expect(said.slice(3)).toEqual(['assistant', 'tool', 'told', 'assistant', 'tool', 'assistant']);
  });

  it.each(['generate', 'stream'] as const)(
    'S02 the model and the tools that prepareCall picks are under the turn: %s',
    async (how) => {
      const { agent, server, modelOf } = await stage(
        [{ text: 'one', toolCalls: [{ name: 'deaf', input: {} }] }, 'too many'],
        30,
      );
      const work = deafWork();
      const running = agent.runTurn(async (turn) => {
        const prepareCall = (call: object) => ({
          ...call,
          model: modelOf('picked'),
          tools: { deaf: toolOf(() => work.run()) },
        });
        const settings = underTurn(turn, { ...stop, model: modelOf('m'), prepareCall });
        const loop = new ai.ToolLoopAgent(settings as never);
        if (how === 'generate') await loop.generate({ prompt: 'go', abortSignal: turn.signal });
        else await readResult(turn.token, await loop.stream({ prompt: 'go', abortSignal: turn.signal }));
      });
      await work.started;
      agent.cancel('user');
      const report = await running;
      expect(report.calls).toMatchObject([{ name: 'deaf', status: 'unknown' }]);
      expect(report.stop?.abandoned).toEqual(['deaf']);
      expect(server.requests.map(({ model }) => model)).toEqual(['picked']);
      work.end.resolve('late');
    },
  );

  it('S21 the cut words of a tool that is itself an agent are no reply of the assistant', async () => {
    const { agent, modelOf } = await stage([
      { text: 'I ask my researcher.', toolCalls: [{ name: 'research', input: {} }] },
      { text: 'Notes of the researcher', silentAfter: 3 },
    ]);
    let read = '';
    const chat = chatOfAISDK<ModelMessage>();
    const running = chat.runTurn(agent, 'go', async (turn) => {
      const research = toolOf(async (_input, { abortSignal }) => {
        const own = new ai.ToolLoopAgent(underTurn(turn, { model: modelOf('inner') }));
        const result = await own.stream({ prompt: 'research', abortSignal: abortSignal as never });
        return await readResult(turn.token, result, (part) => {
          if (part.type === 'text-delta') read += part.text;
        });
      });
      const settings = { ...stop, model: modelOf('m'), messages: chat.messages, tools: { research } };
      await readResult(turn.token, ai.streamText(underTurn(turn, settings)));
    });
    await expect.poll(() => read).toContain('Notes');
    agent.cancel('user');
    const report = await running;
    expect(report.partials).toMatchObject([
      { value: { text: expect.stringContaining('Notes') as string, isOfTool: true } },
    ]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(chat.messages)).not.toContain('Notes');
  });

  it('S46 a summary in mid-turn stands in the place of what it replaced, whatever the loop still sends', async () => {
    const { agent, server, modelOf } = await stage([
      { text: 'one', toolCalls: [{ name: 'look', input: {} }] },
      { text: 'two', toolCalls: [{ name: 'look', input: {} }] },
      { text: 'three', toolCalls: [{ name: 'look', input: {} }] },
      { silent: true },
    ]);
    const chat = chatOfAISDK(given);
    let count = 0;
    const running = chat.runTurn(agent, undefined, async (turn) => {
      const look = toolOf(() => {
        count += 1;
        if (count === 2) chat.compact(['SUMMARY'], { upTo: chat.messages.length });
        return `looked ${String(count)}`;
      });
      await ai.generateText(
        underTurn(turn, { ...stop, model: modelOf('m'), messages: chat.messages, tools: { look } }),
      );
    });
    await server.waitFor(({ requests }) => requests.length === 4);
    agent.cancel('user');
    await running;
    expect(checkedAISDK(chat.messages)).toEqual([]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const text = JSON.stringify(chat.messages);
    expect(text).toMatch(/SUMMARY.*three.*looked 3/);
    expect(text).not.toMatch(/old question|looked 1|"one"|"two"/);
  });

  it('S46 a turn that is dropped leaves nothing of its loop, and gives back what the person had said', async () => {
    const { agent, server, modelOf } = await stage([
      { text: 'one', toolCalls: [{ name: 'look', input: {} }] },
      { text: 'two words', silentAfter: 1 },
    ]);
    const chat = chatOfAISDK(given);
    const running = chat.runTurn(agent, 'Go on.', async (turn) => {
      const look = toolOf(() => {
        agent.interject('use pnpm');
        return 'looked';
      });
      const settings = { ...stop, model: modelOf('m'), messages: chat.messages, tools: { look }, onError() {} };
      await readResult(turn.token, ai.streamText(underTurn(turn, settings)));
    });
    await server.waitFor(({ requests }) => requests[1]?.deltasWritten === 1);
    await delay(undefined, 30);
    agent.cancel('user');
    const report = await running;
    expect(JSON.stringify(chat.messages)).toMatch(/Go on.*looked.*use pnpm.*two/);
    expect(chat.drop(report).map(({ content }) => content)).toEqual(['Go on.', 'use pnpm']);
    expect(chat.messages).toEqual(given);
  });

  it('S45 a signal of the loop’s own keeps what was shown, and its onAbort is called', async () => {
    const { agent, modelOf } = await stage([{ text: 'two words more here', silentAfter: 2 }]);
    const own = new AbortController();
    const ends: string[] = [];
    let shown = '';
    const report = await agent.runTurn((turn) => {
      const settings = {
        ...stop,
        model: modelOf('m'),
        prompt: 'go',
        abortSignal: own.signal,
        onAbort: () => void ends.push('abort'),
        onFinish: () => void ends.push('finish'),
        onError: () => undefined,
      };
      return readResult(
        turn.token,
        ai.streamText(underTurn(turn, settings)),
        (part: { type: string; text?: string }) => {
          if (part.type !== 'text-delta') return;
          shown += String(part.text);
          if (shown.trim() === 'two words') own.abort();
        },
      );
    });
    expect(report.status).toBe('failed');
    expect(report.partials).toMatchObject([{ value: { text: shown.trimEnd() }, reason: { kind: 'unknown' } }]);
    expect(ends).toEqual(['abort']);
  });
});

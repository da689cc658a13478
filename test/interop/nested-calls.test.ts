/**
 * Tools of frameworks that run tools themselves, and a runner that gives its tools no id: what the model is told of is what
 * it asked for, and nothing else.
 */
import { describe, expect, it } from 'vitest';
import OpenAI from 'openai';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { delay } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { chatOfAISDK } from './support/settle-history.ts';
import { repair, type TranscriptCall } from '../../src/transcript/index.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);

describe.each(loaded)('a tool that is itself an agent ($name)', ({ ai, openai }) => {
  const stop = { stopWhen: ai.stepCountIs(4), maxRetries: 0 };
  const toolOf = (execute: (input: unknown, options: { abortSignal?: AbortSignal }) => unknown) =>
    ai.tool({ description: 'works', inputSchema: z.object({}), execute });

  it('S23 its calls have rows, and are no calls of the conversation around it', async () => {
    const base = await frameworkStage(({ body }) => {
      const said = JSON.stringify(body);
      if (!said.includes('PAYROLL')) {
        return said.includes('Nothing of note')
          ? 'It is fine.'
          : { text: 'I look.', toolCalls: [{ name: 'audit', input: {} }] };
      }
      return said.includes('4711') ? 'Nothing of note.' : { text: '', toolCalls: [{ name: 'read', input: {} }] };
    });
    const model = openai.createOpenAI({ baseURL: base.baseURL, apiKey: 'none' }).chat('m');
    const chat = chatOfAISDK<ModelMessage>();
    const report = await chat.runTurn(base.agent, 'go', async (turn) => {
      const { messages } = chat;
      const audit = toolOf(async () => {
        const tools = { read: toolOf(() => 'Ann: 4711') };
        const result = await ai.generateText(underTurn(turn, { ...stop, model, tools, prompt: 'PAYROLL' }));
        return result.text;
      });
      await readResult(turn.token, ai.streamText(underTurn(turn, { ...stop, model, tools: { audit }, messages })));
    });
    expect(report.calls.map(({ name, status }) => `${name} ${status}`)).toEqual(['audit completed', 'read completed']);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(JSON.stringify(chat.messages)).not.toContain('4711');
  });

  it.each([
    ['a tool', {}],
    ['a loop aside', { aside: true }],
    ['a loop aside, by its models', { model: { aside: true } }],
  ])(
    'S21 a message that comes while %s asks its model is in the conversation, where its own loop reads it',
    async (what, how) => {
      const { agent, server, baseURL } = await frameworkStage(({ body }) => {
        const said = JSON.stringify(body);
        if (said.includes('SUB'))
          return said.includes('seen') ? 'Noted.' : { toolCalls: [{ name: 'look', input: {} }] };
        if (said.includes('pnpm')) return 'With pnpm.';
        return { text: 'I look.', toolCalls: [{ name: 'audit', input: {} }] };
      });
      const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('m');
      const chat = chatOfAISDK<ModelMessage>();
      const report = await chat.runTurn(agent, 'go', async (turn) => {
        const look = toolOf(() => {
          agent.interject('use pnpm');
          return 'seen';
        });
        const own = async (): Promise<string> =>
          (await ai.generateText(underTurn(turn, { ...stop, model, tools: { look }, prompt: 'SUB' }, how))).text;
        if (what !== 'a tool') await own();
        const settings = { ...stop, model, tools: { audit: toolOf(own) }, messages: chat.messages };
        return (await ai.generateText(underTurn(turn, settings))).text;
      });
      expect(report.unwrap()).toBe('With pnpm.');
      expect(server.requests.filter(({ body }) => /SUB.*pnpm/.test(JSON.stringify(body)))).toEqual([]);
      const said = chat.messages.map((message) =>
        JSON.stringify(message).includes('pnpm') ? `${message.role}!` : message.role,
      );
      const before = what === 'a tool' ? ['user', 'assistant', 'tool'] : ['user'];
      expect(said).toEqual([...before, 'user!', 'assistant!']);
    },
  );

  it('S45 its calls do not stand for those of the model around it, also where a server numbers both alike', async () => {
    const { agent, baseURL } = await frameworkStage(({ body }) =>
      JSON.stringify(body).includes('SUB')
        ? JSON.stringify(body).includes('to Bob')
          ? { text: 'done', silentAfter: 0 }
          : { text: '', toolCalls: [{ id: 'call_0', name: 'transfer', input: {} }] }
        : {
            text: '',
            toolCalls: [
              { id: 'call_0', name: 'transfer', input: {} },
              { id: 'call_1', name: 'assistant', input: {} },
            ],
          },
    );
    const model = openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('m');
    const chat = chatOfAISDK<ModelMessage>();
    const report = await chat.runTurn(agent, 'go', async (turn) => {
      const inner = toolOf(() => {
        setTimeout(() => agent.cancel('user'), 50);
        return 'transferred 5 to Bob';
      });
      const tools = {
        transfer: toolOf((_input, { abortSignal }) => delay(abortSignal, 60_000)),
        assistant: toolOf(async () => {
          const own = { ...stop, model, tools: { transfer: inner }, prompt: 'SUB' };
          return (await ai.generateText(underTurn(turn, own))).text;
        }),
      };
      await ai.generateText(underTurn(turn, { ...stop, model, tools, messages: chat.messages }));
    });
    expect(report.calls.map(({ id, name, status }) => `${id} ${name} ${status}`)).toEqual([
      'call_0 transfer stopped',
      'call_1 assistant stopped',
      'call_0 transfer completed',
    ]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(chat.messages)).not.toContain('to Bob');
  });
});

describe('the runner of the OpenAI SDK, whose tools get no id', () => {
  it.each([true, false])('S11 each payment is told once; the turn is stopped: %s', async (isStopped) => {
    const { agent, baseURL, events } = await frameworkStage([
      {
        toolCalls: [
          { name: 'pay', input: { to: 'Ann' } },
          { name: 'pay', input: { to: 'Bob' } },
        ],
      },
      'Both are paid.',
    ]);
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    const messages: OpenAIChatMessage[] = [{ role: 'user', content: 'Pay Ann and Bob.' }];
    const report = await agent.runTurn(async (turn) => {
      const pay = async ({ to }: { to: string }) => {
        // Bob is paid when the row of Ann has ended.
        if (to === 'Bob') {
          await eventually(() => {
            expect(events.map(({ type }) => type)).toContain('tool-outcome');
          });
        }
        if (isStopped && to === 'Bob') agent.cancel('user');
        await delay(turn.token, 1);
        return `paid ${to}`;
      };
      const guarded = guardTools({ pay }, { turn }).pay;
      const runner = client.chat.completions.runTools(
        {
          model: 'm',
          messages: [...messages] as OpenAI.ChatCompletionMessageParam[],
          tools: [
            {
              type: 'function',
              function: {
                name: 'pay',
                description: 'pays',
                function: guarded,
                parse: JSON.parse as (json: string) => { to: string },
                parameters: { type: 'object', properties: { to: { type: 'string' } } },
              },
            },
          ],
        },
        { signal: turn.signal },
      );
      runner.on('message', (message) => {
        if (message.role !== 'user') messages.push(message);
      });
      await runner.done();
    });
    expect(report.calls.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'pay-1 completed',
      isStopped ? 'pay-2 stopped' : 'pay-2 completed',
    ]);
    // A guard whose framework gives it no ids makes some up: what was asked for tells its rows apart.
    const outcomeOf = ({ input }: TranscriptCall) =>
      report.calls.find(({ call }) => JSON.stringify((call as { input?: unknown }).input) === JSON.stringify(input));
    const settled = repair(messages, { dialect: openaiChat, outcomeOf });
    const text = JSON.stringify(settled.messages);
    expect(text.split('"name":"pay"')).toHaveLength(3);
    expect(text.split('paid Ann')).toHaveLength(2);
    expect(text).not.toContain('It may have run');
    if (!isStopped) expect(settled.changes).toEqual([]);
  });
});

/** The types of OpenAI Agents, as it checks them itself, and its next run as the judges of `openai-agents`. */
import fc from 'fast-check';
import type { AgentInputItem } from '@openai/agents';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createReason } from '../../src/core/foundation/reason.ts';
import { readRun, underTurn } from '../../src/adapters/openai-agents/index.ts';
import type { ToolOutcome } from '../../src/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation, messageWriter } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { cut, partialValue, wild, type Item } from '../transcript/support/agents-histories.ts';
import { rowsOf } from '../transcript/support/arbitraries.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);
const reason = createReason({ kind: 'user', at: 1 });

describe.each(loaded)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);
  const faultsOf = (items: readonly unknown[]): unknown[] =>
    items.flatMap((item) => {
      const parsed = sdk.protocol.ModelItem.safeParse(item);
      return parsed.success ? [] : [{ item, error: parsed.error.issues }];
    });

  it('S17 whatever settling makes is of its types', () => {
    const isOfItsTypes = (item: Item): boolean => faultsOf([item]).length === 0;
    const given = fc
      .oneof(
        wild,
        cut.map(({ history }) => history),
      )
      .map((history) => history.filter(isOfItsTypes))
      .chain((history) => fc.tuple(fc.constant(history), rowsOf(['a', 'r0c0', 'x']), partialValue));
    fc.assert(
      fc.property(given, ([history, outcomes, partial]) => {
        const said = messageWriter(openaiAgents).reply({ status: 'interjected', partial, reason });
        const { messages } = repairWith([...history, ...said] as Item[], { outcomes, dialect: openaiAgents });
        expect(faultsOf(messages)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('S17 what replies and results become is of its types', () => {
    const call = { type: 'function_call', callId: 'c1', name: 'read', arguments: '{}' };
    const outcome = { id: 'c1', name: 'read', call, ms: 1 } as const;
    const rows: ToolOutcome[] = [
      { ...outcome, status: 'completed', value: { content: [{ type: 'image', data: 'QQ==', mimeType: 'image/png' }] } },
      { ...outcome, status: 'completed', value: new Date(0), afterStop: true },
      { ...outcome, status: 'declined' },
      { ...outcome, status: 'detached' },
      { ...outcome, status: 'stopped', reason, call: { type: 'shell_call', callId: 'c1', action: { commands: [] } } },
    ];
    expect(faultsOf(messageWriter(openaiAgents).toolResults(rows, { reason }))).toEqual([]);
    expect(faultsOf(messageWriter(openaiAgents).reply({ status: 'interjected', partial: 'Hel', reason }))).toEqual([]);
  });

  it.each(['responses', 'chat completions'] as const)('S17 a batch in four states goes on, by %s', async (api) => {
    const { server, baseURL } = await frameworkStage(['Went on.']);
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    const model =
      api === 'responses'
        ? new sdk.OpenAIResponsesModel(client, 'scripted')
        : new sdk.OpenAIChatCompletionsModel(client, 'scripted');
    const callOf = (callId: string): Item => ({ type: 'function_call', callId, name: 'read', arguments: '{}' });
    const history: OpenAIAgentsItem[] = [{ role: 'user', content: 'Go.' } as Item, ...['a', 'b', 'c', 'd'].map(callOf)];
    const base = { name: 'read', call: undefined, ms: 1 };
    const outcomes: ToolOutcome[] = [
      { ...base, id: 'a', status: 'completed', value: 'done' },
      { ...base, id: 'b', status: 'stopped', reason },
      { ...base, id: 'c', status: 'not-started', reason },
    ];
    const said = messageWriter(openaiAgents).reply({ status: 'interjected', partial: 'And then', reason });
    const { messages } = repairWith([...history, ...said] as OpenAIAgentsItem[], { dialect: openaiAgents, outcomes });
    expect(messages).toHaveLength(10);
    const input = [...messages, { role: 'user', content: 'again' }] as never[];
    expect((await sdk.run(new sdk.Agent({ name: 'worker', model }), input)).finalOutput).toBe('Went on.');
    expect(server.requests).toHaveLength(1);
  });

  it('S17 a tool that throws after the stop has failed, and nobody is told to try again', async () => {
    const { agent, baseURL } = await frameworkStage([{ toolCalls: [{ name: 'pay', input: {} }] }]);
    const model = new sdk.OpenAIResponsesModel(new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 }), 'scripted');
    const execute = (): Promise<string> => {
      agent.cancel('user');
      return Promise.reject(new Error('no funds'));
    };
    const pay = sdk.tool({ name: 'pay', description: 'Pays.', parameters: z.object({}), execute });
    const worker = new sdk.Agent({ name: 'worker', model, tools: [pay] });
    const chat = new Conversation<AgentInputItem>(openaiAgents);
    const report = await chat.runTurn(agent, 'Pay.', async (turn) => {
      await readRun(turn.token, sdk.run(underTurn(turn, worker), chat.messages, { signal: turn.signal }));
    });
    expect(report).toMatchObject({ status: 'cancelled', calls: [{ name: 'pay', status: 'failed' }] });
    const told = JSON.stringify(chat.messages.at(-1));
    expect([told.includes('An error occurred'), /try again|completed after/.test(told)]).toEqual([true, false]);
  });

  describe.each([
    ['responses', false],
    ['responses', true],
    ['chat completions', false],
    ['chat completions', true],
  ] as const)('a run by %s, streamed: %s', (api, stream) => {
    async function staged(script: ModelScript) {
      const { agent, server, baseURL } = await frameworkStage(script);
      const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
      const model =
        api === 'responses'
          ? new sdk.OpenAIResponsesModel(client, 'scripted')
          : new sdk.OpenAIChatCompletionsModel(client, 'scripted');
      const parameters = z.object({ to: z.string() });
      const pay = sdk.tool({ name: 'pay', description: 'Pays.', parameters, execute: ({ to }) => `receipt for ${to}` });
      const worker = new sdk.Agent({ name: 'worker', model, tools: [pay] });
      const chat = new Conversation<AgentInputItem>(openaiAgents);
      const ask = (prompt: string, more: { readonly previousResponseId?: string } = {}) =>
        chat.runTurn(agent, prompt, async (turn) => {
          const [own, { signal, token }, { messages }] = [underTurn(turn, worker), turn, chat];
          if (stream) await readRun(token, sdk.run(own, messages, { signal, stream: true, ...more }));
          else await readRun(token, sdk.run(own, messages, { signal, ...more }));
        });
      return { agent, server, model, worker, chat, ask };
    }
    const paying = (to: string) => ({ toolCalls: [{ id: 'call_0', name: 'pay', input: { to } }] });
    const receiptsIn = (items: readonly unknown[]) => JSON.stringify(items).match(/receipt for \w+/g);

    it('S17 forgets no payment where the server numbers the calls of every reply anew', async () => {
      const { server, chat, ask } = await staged([paying('Ann'), paying('Bob'), 'Both.', paying('Eve'), 'And Eve.']);
      const [first, second] = [await ask('Pay Ann and Bob.'), await ask('Pay Eve.')];
      expect([first.status, second.status]).toEqual(['completed', 'completed']);
      const receipts = ['receipt for Ann', 'receipt for Bob', 'receipt for Eve'];
      expect(receiptsIn(chat.messages)).toEqual(receipts);
      expect(receiptsIn([server.requests.at(-1)?.body])).toEqual(receipts);
      expect(openaiAgents.check(chat.messages)).toEqual([]);
    });

    const holds = api === 'responses' ? it : undefined;
    holds?.('S17 is whole where the provider holds what was said before', async () => {
      const { agent, server, worker, chat, ask } = await staged([
        'Hello.',
        { ...paying('Ann'), text: 'I pay.' },
        { text: 'Paid, and more', chunkMs: 30 },
      ]);
      const { lastResponseId } = await sdk.run(worker, 'Hi');
      const running = ask('Pay Ann.', { previousResponseId: lastResponseId as string });
      await server.waitFor(({ requests }) => requests.length === 3);
      agent.cancel('user');
      await running;
      expect(chat.messages.slice(0, 4)).toMatchObject([
        { role: 'user', content: 'Pay Ann.' },
        { type: 'message', role: 'assistant' },
        { type: 'function_call', callId: 'call_0' },
        { type: 'function_call_result', callId: 'call_0' },
      ]);
    });
  });
});

import { describe, expect, it } from 'vitest';
import { agentsItems, callIdsIn, itemsIn, lastWordsOf } from '../../../src/adapters/openai-agents/loop-items.ts';
import { turnModel, underTurn } from '../../../src/adapters/openai-agents/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';
import { stage } from '../../core/interrupt/kit.ts';

const call = { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}', status: 'completed' };
const said = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi.' }],
};
const result = {
  type: 'function_call_result',
  callId: 'c1',
  name: 'pay',
  status: 'completed',
  output: { type: 'text', text: 'as the SDK said it' },
};

function modelOf(...outputs: object[][]) {
  return {
    getResponse: (_request: { input: unknown }) => Promise.resolve({ output: outputs.shift() }),
    async *getStreamedResponse(_request: { input: unknown }) {
      yield await Promise.resolve({ type: 'response_started' });
      yield { type: 'output_text_delta', delta: 'Hi' };
      yield { type: 'output_text_delta', delta: '.' };
      yield { type: 'response_done', response: { output: outputs.shift() } };
    },
  };
}

const chatOf = () => new Conversation<OpenAIAgentsItem>(openaiAgents);

describe('the items of a run', () => {
  it('are what was answered, whole or streamed, with results as the SDK told them', async () => {
    const { agent } = stage();
    const chat = chatOf();
    await chat.runTurn(agent, 'go', async (turn) => {
      const model = turnModel(turn, modelOf([call], [said]));
      await model.getResponse({ input: 'go' });
      for await (const _event of model.getStreamedResponse({ input: ['go', call, result] }));
    });
    expect(chat.messages.slice(1)).toEqual([call, result, said]);
    expect(chat.messages[2]).toBe(result);
  });

  it('are calls by ids of their own, as the SDK knows them', async () => {
    const { agent } = stage();
    const chat = chatOf();
    const seen: unknown[] = [];
    await chat.runTurn(agent, 'go', async (turn) => {
      const model = turnModel(turn, modelOf([call, call], [call]));
      for (const input of [[], [result]]) {
        const { output } = await model.getResponse({ input });
        for (const { callId } of (output ?? []) as { callId?: string }[]) seen.push(callId);
      }
    });
    expect(seen).toEqual(['c1', 'c1_copy2', 'c1_copy3']);
    expect(openaiAgents.check(chat.messages.slice(0, -1))).toEqual([]);
  });

  it('are the words of a stream that was cut, or that its reader left', async () => {
    const { agent } = stage();
    for (const how of ['cut', 'left'] as const) {
      const chat = chatOf();
      const report = await chat.runTurn(agent, 'go', async (turn) => {
        const events = turnModel(turn, modelOf([said])).getStreamedResponse({ input: 'go' });
        let count = 0;
        for await (const _event of events) {
          if ((count += 1) < 2) continue;
          if (how === 'left') break;
          agent.cancel('user');
        }
      });
      expect(report.status).toBe(how === 'cut' ? 'cancelled' : 'completed');
      expect(JSON.stringify(chat.messages)).toContain('Hi');
      expect(chat.messages[1]).toMatchObject({ status: 'incomplete' });
    }
  });

  it('are not those of a run that is aside', async () => {
    const { agent } = stage();
    const chat = chatOf();
    await chat.runTurn(agent, 'go', async (turn) => {
      await turnModel(turn, modelOf([said]), { aside: true }).getResponse({ input: 'title' });
      const worker = {
        model: modelOf([said], [said]),
        tools: [],
        handoffs: [],
        clone(settings: object) {
          return { ...this, ...settings };
        },
      };
      for (const options of [{ aside: true }, { model: { aside: true } }]) {
        await underTurn(turn, worker, options).model.getResponse({ input: 'title' });
      }
    });
    expect(chat.messages).toHaveLength(1);
  });
});

it('an answer that nothing follows is among the partials of a turn that is stopped then', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    await turnModel(turn, modelOf([said])).getResponse({ input: 'go' });
    agent.cancel('user');
  });
  expect(report.partials).toMatchObject([{ value: { text: 'Hi.' } }]);
});

it('an answer that asks for tools, and one that says nothing, has no last words', () => {
  expect([{ output: [said, call] }, { output: [] }, undefined].map(lastWordsOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('results are known by the ids of their calls, and everything else is none', () => {
  const odd = { type: 'shell_call_output', callId: 's', output: [] };
  const rest = [said, call, undefined, 'text', { type: 'function_call_result' }];
  expect(agentsItems.resultsIn([result, odd, ...rest])).toEqual([
    ['c1', { message: result }],
    ['s', { message: odd }],
  ]);
  expect([callIdsIn({ output: [said, call] }), callIdsIn(undefined), itemsIn({ output: 'text' })]).toEqual([
    ['c1'],
    [],
    [],
  ]);
});

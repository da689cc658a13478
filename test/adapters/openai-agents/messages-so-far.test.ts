import { expect, it } from 'vitest';
import { messagesSoFar, turnModel } from '../../../src/adapters/openai-agents/index.ts';
import { callIn, noteAnswered } from '../../../src/adapters/openai-agents/messages-so-far.ts';
import { stage } from '../../core/interrupt/kit.ts';

const call = { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}' };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] };
const result = { type: 'function_call_result', callId: 'c1', output: 'paid' };

function modelOf(...outputs: object[][]) {
  return {
    getResponse: (_request: { input: unknown }) => Promise.resolve({ output: outputs.shift() }),
    async *getStreamedResponse(_request: { input: unknown }) {
      yield await Promise.resolve({ type: 'response_started' });
      yield { type: 'output_text_delta', delta: 'Hi.' };
      yield { type: 'response_done', response: { output: outputs.shift() } };
    },
  };
}

it('the items so far are what was asked last and what was answered, whole or streamed', async () => {
  const { agent } = stage();
  await agent.runTurn(async (turn) => {
    const model = turnModel(turn, modelOf([call], [said]));
    const items = [{ role: 'user', content: 'go' }];
    await model.getResponse({ input: items });
    expect(messagesSoFar(turn)).toEqual([...items, call]);
    for await (const _event of model.getStreamedResponse({ input: [...items, call, result] }));
    expect(messagesSoFar(turn)).toEqual([...items, call, result, said]);
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

it('an answer that asks for tools, and one that says nothing, has no last words', async () => {
  const { agent } = stage();
  const report = await agent.runTurn((turn) => {
    const asking = callIn(turn);
    return [[said, call], [], undefined].map((output) => noteAnswered(asking, output));
  });
  expect(report.unwrap()).toEqual([undefined, undefined, undefined]);
});

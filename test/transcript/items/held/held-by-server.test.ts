import { expect, it } from 'vitest';

import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { heldByServer, repair } from '../../../../src/transcript/index.ts';

const output = [{ type: 'function_call', call_id: 'a', name: 'pay', arguments: '{}' }];
const response = { id: 'resp_1', status: 'completed', output };

it('what is held is of both dialects, says what it was made of, and is not touched', () => {
  const held = heldByServer(Object.freeze({ responses: [response], conversation: 'c' }));
  expect(held).toMatchObject({ responses: [response], conversation: 'c' });
  expect(repair(output, { dialect: openaiResponses, held }).submit).toMatchObject({ conversation: 'c' });
});

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'state must be an object, got undefined'],
  ['no responses', {}, 'state.responses must be an array, got undefined'],
  ['no items', { responses: [response, { output: [7] }] }, 'state.responses[1].output[0] must be an object, got 7'],
])('a held state of %s is refused', (_what, state, message) => {
  expect(() => heldByServer(state as never)).toThrow(new TypeError(message));
});

it('what was not made by heldByServer is refused, and so is any in a dialect of which no server holds a conversation', () => {
  const refusal = (dialect: unknown, held: unknown) => () => repair([], { dialect, held } as never);
  const wrong = 'options.held must be what heldByServer() returns, with openaiResponses or openaiAgents, got ';
  expect(refusal(openaiAgents, { responses: [] })).toThrow(TypeError(`${wrong}an instance of Object`));
  expect(refusal(openaiAgents, null)).toThrow(TypeError(`${wrong}null`));
  expect(refusal(anthropic, heldByServer({ responses: [] }))).toThrow(TypeError(`${wrong}an instance of Object`));
});

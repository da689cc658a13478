import { expect, it } from 'vitest';

import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { heldByServer, openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import {
  heldByServer as ofResponses,
  openaiResponses,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { repair } from '../../../../src/transcript/index.ts';

const output = [{ type: 'function_call', call_id: 'a', name: 'pay', arguments: '{}' }];
const response = { id: 'resp_1', status: 'completed', output };

it('what is held is of both dialects, says what it was made of, and is not touched', () => {
  expect(ofResponses).toBe(heldByServer);
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
  expect(refusal(openaiAgents, { responses: [] })).toThrow(
    TypeError('options.held must be what heldByServer() returns, got an instance of Object'),
  );
  expect(refusal(anthropic, heldByServer({ responses: [] }))).toThrow(
    TypeError('options.held is for conversations on a server, which anthropic has none of'),
  );
});

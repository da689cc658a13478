import { expect, it } from 'vitest';

import { callIdIn, signalIn } from '../../src/guard/arguments.ts';

const { signal } = new AbortController();

it.each<[unknown, string | undefined]>([
  [{ abortSignal: signal }, 'abortSignal'],
  [{ signal }, 'signal'],
  [{ signal: {} }, undefined],
  [signal, undefined],
  ['in', undefined],
  [null, undefined],
])('the signal of %o is in its field %s', (arg, field) => {
  expect(signalIn(arg)).toEqual(field === undefined ? undefined : { signal, field });
});

class OfProgram {
  readonly requestId = 'a';
}

it.each<[unknown, number, string | undefined]>([
  [{ toolCallId: 'a' }, 1, 'a'],
  [{ toolCall: { id: 'a' } }, 1, 'a'],
  [{ toolCall: { callId: 'a' } }, 2, 'a'],
  [{ agent: { toolCallId: 'a' } }, 1, 'a'],
  [{ type: 'tool_call', id: 'a', args: {} }, 0, 'a'],
  [{ requestId: 0 }, 1, '0'],
  [{ id: 'a' }, 1, undefined],
  [{ toolCallId: '' }, 1, undefined],
  [undefined, 0, undefined],
  // An argument that the model did not write, in the first place.
  [{ requestId: 1, signal }, 0, '1'],
  [{ requestId: 1, mcpReq: {} }, 0, '1'],
  [new OfProgram(), 0, 'a'],
  // What the model wrote.
  [{ toolCallId: 'a' }, 0, undefined],
  [{ requestId: 'a' }, 0, undefined],
  [{ toolCall: { id: 'a' }, agent: { toolCallId: 'b' } }, 0, undefined],
  [{ type: 'tool_call', id: 'a' }, 0, undefined],
])('the id of the call of %o as argument %i is %s', (arg, index, id) => {
  expect(callIdIn(arg, index)).toBe(id);
});

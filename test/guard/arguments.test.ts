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

it.each<[unknown, string | undefined]>([
  [{ toolCallId: 'a' }, 'a'],
  [{ toolCall: { id: 'a' } }, 'a'],
  [{ toolCall: { callId: 'a' } }, 'a'],
  [{ agent: { toolCallId: 'a' } }, 'a'],
  [{ type: 'tool_call', id: 'a' }, 'a'],
  [{ requestId: 0 }, '0'],
  [{ id: 'a' }, undefined],
  [{ toolCallId: '' }, undefined],
  [undefined, undefined],
])('the id of the call of %o is %s', (arg, id) => {
  expect(callIdIn(arg)).toBe(id);
});

import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { isSingle, recordedCall } from '../../../src/transcript/reading/recorded-call.ts';

const row = (id: string, call?: unknown): ToolOutcome => ({ id, name: 'x', call, ms: 1, status: 'declined' });

describe('recordedCall', () => {
  it.each([
    [{ input: { n: 1 } }, { n: 1 }],
    [{ args: { n: 1 } }, { n: 1 }],
    [{ function: { arguments: '{"n":1}' } }, { n: 1 }],
    [{ arguments: '{"n":1}' }, { n: 1 }],
    [{ input: { at: new Date(0) } }, { at: '1970-01-01T00:00:00.000Z' }],
    [{ input: 'DELETE FROM users' }, { input: 'DELETE FROM users' }],
    [{ input: ['a'] }, { input: ['a'] }],
    [{ input: 0 }, { input: 0 }],
    [{ input: null }, {}],
    [{ input: '{"half' }, {}],
    [{ args: [{ n: 1 }, { toolCallId: 'a' }] }, { n: 1 }],
    [{ args: [{ context: { password: 'hunter2' } }, '{"n":1}', { toolCall: {} }] }, { n: 1 }],
    [{ input: ' ' }, {}],
    [undefined, {}],
  ])('reads what was asked for from %j', (call, input) => {
    expect(recordedCall(row('a', call)).input).toEqual(input);
  });
});

describe('isSingle', () => {
  it.each<[unknown, boolean]>([
    [{ id: 'a', name: 'x', args: [{}], isSingle: true }, true],
    [{ id: 'a', name: 'x', args: [{}] }, true],
    [{ type: 'tool_call', id: 'a', name: 'x', args: [1, 2] }, false],
    [{ id: 'a', name: 'x', args: {} }, false],
    [{ id: 'a', name: 'x', input: {} }, false],
    [undefined, false],
  ])('says of %j whether it is a guard that recorded it: %s', (call, is) => {
    expect(isSingle(row('a', call))).toBe(is);
  });
});

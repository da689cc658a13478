import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { recordedCall } from '../../../src/transcript/reading/recorded-call.ts';

const row = (id: string, call?: unknown): ToolOutcome => ({ id, name: 'x', call, ms: 1, status: 'declined' });

describe('recordedCall', () => {
  it.each([
    [{ input: { n: 1 } }, { n: 1 }],
    [{ args: { n: 1 } }, { n: 1 }],
    [{ function: { arguments: '{"n":1}' } }, { n: 1 }],
    [{ arguments: '{"n":1}' }, { n: 1 }],
    [{ input: { at: new Date(0) } }, { at: '1970-01-01T00:00:00.000Z' }],
    [{ input: 'DELETE FROM users' }, { input: 'DELETE FROM users' }],
    [{ input: '{"half' }, {}],
    [{ input: ' ' }, {}],
    [undefined, {}],
  ])('reads what was asked for from %j', (call, input) => {
    expect(recordedCall(row('a', call)).input).toEqual(input);
  });
});

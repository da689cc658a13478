import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { missingRows, recordedCall } from '../../../src/transcript/reading/unmatched-rows.ts';

const row = (id: string, call?: unknown): ToolOutcome => ({ id, name: 'x', call, ms: 1, status: 'declined' });

describe('missingRows', () => {
  it('gives the rows for which there is no call, in their order', () => {
    const rows = ['a', 'b', 'c'].map((id) => row(id));
    expect(missingRows(['b'], rows)).toEqual([rows[0], rows[2]]);
  });

  it('pairs ids that come again from the last, and copies with their original', () => {
    const rows = [row('a'), row('a'), row('a')];
    expect(missingRows(['a', 'a_copy2'], rows)).toEqual([rows[0]]);
    expect(missingRows(['a_copy2'], [row('a')])).toHaveLength(1);
  });

  it('takes no row for a copy: only calls get other ids', () => {
    const rows = [row('a_copy2'), row('a_copy2')];
    expect(missingRows(['a_copy2', 'a'], rows)).toEqual([rows[0]]);
    expect(missingRows(['a', 'a_copy2', 'a_copy2_copy2'], rows)).toEqual([]);
  });

  it('leaves a row without a call where a repair gave its id to a copy that has a row', () => {
    const [first, other, second] = [row('a'), row('a_copy2'), row('a')];
    expect(missingRows([], [first, other, second], new Set([first, second]), ['a', 'a_copy2'])).toEqual([other]);
    expect(missingRows([], [other], new Set(), ['a', 'a_copy2'])).toEqual([other]);
  });
});

describe('recordedCall', () => {
  it.each([
    [{ input: { n: 1 } }, { n: 1 }],
    [{ args: { n: 1 } }, { n: 1 }],
    [{ function: { arguments: '{"n":1}' } }, { n: 1 }],
    [{ arguments: '{"n":1}' }, { n: 1 }],
    [{ input: { at: new Date(0) } }, { at: '1970-01-01T00:00:00.000Z' }],
    [{ input: 'text' }, {}],
    [undefined, {}],
  ])('reads what was asked for from %j', (call, input) => {
    expect(recordedCall(row('a', call)).input).toEqual(input);
  });
});

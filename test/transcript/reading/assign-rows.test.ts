import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { assignRows } from '../../../src/transcript/reading/assign-rows.ts';

describe('assignRows', () => {
  const call = (id: string, cut = false, at = 0) => ({ id, cut, at, name: 'read' });
  const base = { name: 'read', call: undefined, ms: 0 };
  const row = (id: string, value: unknown): ToolOutcome => ({ ...base, id, status: 'completed', value });
  const valueOf = (found: ToolOutcome | undefined) => (found?.status === 'completed' ? found.value : undefined);

  it('counts from the end where ids come again', () => {
    const calls = [call('call_0'), call('x'), call('call_0'), call('call_0')];
    const rows = assignRows(calls, [row('call_0', 1), row('call_0', 2), row('gone', 3)], { isCut: (one) => one.cut });
    expect(calls.map((one) => valueOf(rows.get(one)))).toEqual([undefined, undefined, 1, 2]);
  });

  it('gives the rows of one id to the calls that a repair told apart, batch by batch from the end', () => {
    const calls = [call('w'), call('w', false, 2), call('w_copy2', false, 2)];
    const assigned = (...values: number[]) => {
      const rows = assignRows(
        calls,
        values.map((value) => row('w', value)),
        { isCut: () => false },
      );
      return calls.map((one) => valueOf(rows.get(one)));
    };
    expect(assigned(1, 2, 3)).toEqual([1, 2, 3]);
    expect(assigned(2, 3)).toEqual([undefined, 2, 3]);
    expect(assigned(2)).toEqual([undefined, 2, undefined]);
  });

  it('leaves a cut call what the others do not need', () => {
    const calls = [call('call_0'), call('call_0', true)];
    expect(
      calls.map((one) => valueOf(assignRows(calls, [row('call_0', 1)], { isCut: (o) => o.cut }).get(one))),
    ).toEqual([1, undefined]);
    const eager = [call('own', true)];
    expect(valueOf(assignRows(eager, [row('own', 1)], { isCut: (o) => o.cut }).get(eager[0]!))).toBe(1);
  });

  describe('with an id that comes again', () => {
    interface Asked {
      readonly id: string;
      readonly at: number;
      readonly name: string;
      readonly input: unknown;
      readonly results: readonly unknown[];
    }
    const asked = (name: string, input: unknown, results: readonly unknown[] = []): Asked => ({
      id: 'call_0',
      at: 0,
      name,
      input,
      results,
    });
    const said = (name: string, input: unknown, value: string): ToolOutcome => ({
      ...row('call_0', value),
      name,
      call: { id: 'call_0', name, input },
    });
    const told = (
      calls: readonly Asked[],
      rows: readonly ToolOutcome[],
      areOfTurn = false,
      late?: readonly Asked[],
    ) => {
      const isLate = late === undefined ? undefined : (one: Asked) => late.includes(one);
      const assigned = assignRows(calls, rows, { isCut: () => false, areOfTurn, isLate });
      return calls.map((one) => valueOf(assigned.get(one)));
    };

    it('gives a row to the call of its tool, and none to a call that was never begun', () => {
      const calls = [asked('read', {}, ['the text']), asked('deploy', {})];
      expect(told(calls, [said('read', {}, 'the text')])).toEqual(['the text', undefined]);
    });

    it('gives a row to the call that asks for the same, in whatever form its arguments are', () => {
      const calls = [asked('pay', '{"to":"A"}', ['A']), asked('pay', { to: 'B' }), asked('pay', '{"to":"C"}')];
      expect(told(calls, [said('pay', { to: 'A' }, 'A'), said('pay', { to: 'C' }, 'C')])).toEqual([
        'A',
        undefined,
        'C',
      ]);
    });

    it('gives what is alike in everything to those that have results, where the beginning of the turn is known', () => {
      const calls = [asked('poll', {}, ['1']), asked('poll', {})];
      expect(told(calls, [said('poll', {}, '1')], true)).toEqual(['1', undefined]);
      expect(told([asked('poll', {}), ...calls], [said('poll', {}, '1'), said('poll', {}, '2')], true)).toEqual([
        '1',
        '2',
        undefined,
      ]);
      // An older turn may have had the same call.
      expect(told(calls, [said('poll', {}, '2')])).toEqual([undefined, '2']);
    });

    it('gives it to those with results where no more than the last prompt is known, if they stand behind that', () => {
      const calls = [asked('poll', {}, ['0']), asked('poll', {}, ['1']), asked('poll', {})] as const;
      const [, ...late] = calls;
      expect(told(calls, [said('poll', {}, '1')], false, late)).toEqual([undefined, '1', undefined]);
      // More rows than calls behind it: the prompt was said while the turn ran.
      expect(told(calls, [said('poll', {}, '1'), said('poll', {}, '2')], false, [calls[2]])).toEqual([
        undefined,
        '1',
        '2',
      ]);
    });

    it('gives a row whose id a guard made to a call that asks for the same and has no row of its own', () => {
      const made = (n: number, to: string): ToolOutcome => ({
        ...row(`pay-${String(n)}`, to),
        name: 'pay',
        call: { id: `pay-${String(n)}`, name: 'pay', input: { to }, isSingle: true },
      });
      const calls = [asked('pay', { to: 'A' }), asked('pay', { to: 'B' }), asked('read', { to: 'C' })];
      expect(told(calls, [made(1, 'B'), made(2, 'A'), made(3, 'C')])).toEqual(['A', 'B', undefined]);
      expect(told(calls, [made(1, 'A'), said('pay', { to: 'A' }, 'own')])).toEqual(['own', undefined, undefined]);
    });

    it('takes a tool under the name that a provider takes for the tool itself', () => {
      const calls = [asked('read', {}), asked('fs_write', {})];
      expect(told(calls, [said('fs.write', {}, 'written')])).toEqual([undefined, 'written']);
    });

    it('gives what no name tells to the last call, as a tool may go by several names', () => {
      const calls = [asked('read', {}), asked('list', {}), asked('shell', {})];
      expect(told(calls, [said('local_shell', {}, 'ran'), said('read', {}, 'text')])).toEqual([
        'text',
        undefined,
        'ran',
      ]);
    });
  });
});

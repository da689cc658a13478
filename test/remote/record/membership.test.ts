import { describe, expect, it } from 'vitest';

import { joinRun, leaveRun, MOST_MEMBERS } from '../../../src/remote/record/membership.ts';
import { askStop, type StopAsk } from '../../../src/remote/record/transitions.ts';
import { entry, running, written } from '../kit.ts';

const ask: StopAsk = { id: 's1', reason: entry('s1').reason, level: 'cancel', from: 'asker' };

describe('members', () => {
  const now = { at: 500, told: new Set<string>() };

  it('members that the engine has lost are back among those whom stops wait for, whatever became of these meanwhile', () => {
    const [told, since, before] = [entry('told', { at: 1 }), entry('since', { at: 600 }), entry('before', { at: 1 })];
    const over = [told, since, before].map((stop) => ({ ...stop, phase: 'settled' as const }));
    const back = joinRun(running({ stops: over }), { id: 'm', node: 'n' }, { at: 500, told: new Set(['told']) });
    expect(written(back).stops.map(({ members }) => members.length)).toEqual([1, 1, 0]);
  });

  it('members that work for one turn are no business of stops of others', () => {
    const member = { id: 'm', node: 'n', turnId: 2 };
    const joined = written(joinRun(running({ stops: [entry('s', { turnId: 1 })] }), member, now));
    const [first, second] = written(askStop(joined, { ...ask, id: 't', turnId: 2 }, 50)).stops;
    expect([first?.members, second?.members]).toEqual([[], [member]]);
  });

  it('members come once, see what is open, and are waited for until they leave', () => {
    const member = { id: 'm', node: 'n2' };
    const joined = joinRun(running({ stops: [entry('s', { phase: 'observed' }), entry('o', { phase: 'settled' })] }), member, now); // prettier-ignore
    expect(joined.result).toMatchObject([
      { id: 's', members: [member] },
      { id: 'o', members: [] },
    ]);
    const record = written(joined);
    expect(joinRun(record, member, now).record).toBeUndefined();
    const asked = written(askStop(record, ask, 50));
    const left = leaveRun(asked, 'm');
    expect([written(left).members, written(left).stops.at(-1)?.members, left.hints]).toEqual([[], [], ['asker']]);
    expect(leaveRun(written(left), 'm').record).toBeUndefined();
  });

  it('members beyond the last place are refused', () => {
    const members = Array.from({ length: MOST_MEMBERS }, (_, n) => ({ id: String(n), node: 'n' }));
    expect(joinRun(running({ members }), { id: 'more', node: 'n' }, now)).toEqual({
      record: undefined,
      result: 'full',
    });
  });
});

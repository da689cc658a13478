import { describe, expect, it } from 'vitest';

import { buryMembers, joinRun, leaveRun, MOST_MEMBERS } from '../../../src/remote/record/membership.ts';
import { askStop, type StopAsk } from '../../../src/remote/record/ask-stop.ts';
import { entry, running, written } from '../kit.ts';

const ask: StopAsk = { id: 's1', reason: entry('s1').reason, level: 'cancel', from: 'asker' };

describe('members', () => {
  const now = { at: 500, ended: 0, told: new Set<string>() };

  it('members that the engine has lost are back among those whom stops wait for, whatever became of these meanwhile', () => {
    const [told, since, before] = [entry('told', { at: 1 }), entry('since', { at: 600 }), entry('before', { at: 1 })];
    const over = [told, since, before].map((stop) => ({ ...stop, phase: 'settled' as const }));
    const back = joinRun(
      running({ stops: over }),
      { id: 'm', node: 'n' },
      { at: 500, ended: 0, told: new Set(['told']) },
      700,
    );
    expect(written(back).stops.map(({ members }) => members.length)).toEqual([1, 1, 0]);
  });

  it('D5 members that were lost before their run ended are told of that end, unless it had ended when they joined first', () => {
    const record = running({ state: 'settled', node: '', stops: [entry('before', { phase: 'settled', at: 1 })] });
    const [member, other] = [{ id: 'm', node: 'n2' }, { id: 'o', node: 'n3' }]; // prettier-ignore
    expect(written(joinRun(record, member, { ...now, ended: 7 }, 600)).stops).toEqual(record.stops);
    const back = joinRun(record, member, now, 600);
    const end = { id: 'end-c1', phase: 'settled', reason: { kind: 'shutdown', at: 600 }, at: 600, from: 'n2', only: 7 };
    expect([back.result.stops, written(back).stops.map(({ members }) => members)]).toMatchObject([
      [end, { id: 'before' }],
      [[member], []],
    ]);
    // One end, also where it is older than who comes.
    const both = written(joinRun(written(back), other, { ...now, at: 650 }, 700)).stops;
    expect(both.map(({ id, members }) => [id, members.length])).toEqual([['end-c1', 2], ['before', 0]]); // prettier-ignore
    expect(joinRun({ ...record, state: 'pending' }, member, now, 600).result.stops).toEqual(record.stops);
  });

  it('members that work for one turn are no business of stops of others', () => {
    const member = { id: 'm', node: 'n', turnId: 2 };
    const joined = written(joinRun(running({ stops: [entry('s', { turnId: 1 })] }), member, now, 500));
    const [first, second] = written(askStop(joined, { ...ask, id: 't', turnId: 2 }, 50)).stops;
    expect([first?.members, second?.members]).toEqual([[], [member]]);
  });

  it('members come once, see what is open, and are waited for until they leave', () => {
    const member = { id: 'm', node: 'n2' };
    const joined = joinRun(running({ stops: [entry('s', { phase: 'observed' }), entry('o', { phase: 'settled' })] }), member, now, 500); // prettier-ignore
    expect(joined.result.stops).toMatchObject([
      { id: 's', members: [member] },
      { id: 'o', members: [] },
    ]);
    const record = written(joined);
    expect(joinRun(record, member, now, 500).record).toBeUndefined();
    const asked = written(askStop(record, ask, 50));
    const left = leaveRun(asked, 'm');
    expect([written(left).members, written(left).stops.at(-1)?.members, left.hints]).toEqual([[], [], ['asker']]);
    expect(leaveRun(written(left), 'm').record).toBeUndefined();
  });

  it('D6 members that died go, and are told; a stop that has named them waits for them', () => {
    const members = ['n2', 'n3'].map((node) => ({ id: `of ${node}`, node }));
    const record = running({ members, stops: [entry('s', { members })] });
    const step = buryMembers(record, new Set(['n2', 'elsewhere']));
    expect([written(step).members, written(step).stops, step.inboxes]).toEqual([[members[1]], record.stops, ['n2']]);
    expect(buryMembers(written(step), new Set(['n2'])).record).toBeUndefined();
    expect(buryMembers(undefined, new Set(['n2'])).record).toBeUndefined();
  });

  it('members beyond the last place are refused', () => {
    const members = Array.from({ length: MOST_MEMBERS }, (_, n) => ({ id: String(n), node: 'n' }));
    expect(joinRun(running({ members }), { id: 'more', node: 'n' }, now, 500)).toEqual({
      record: undefined,
      result: { full: members },
    });
  });
});

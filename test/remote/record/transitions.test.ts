import { describe, expect, it } from 'vitest';

import { unhosted } from '../../../src/remote/record/run-record.ts';
import { askStop, type StopAsk } from '../../../src/remote/record/ask-stop.ts';
import { assertHosting, claimRun } from '../../../src/remote/record/transitions.ts';
import { endRun } from '../../../src/remote/record/end-run.ts';
import { entry, running, written } from '../kit.ts';

const ask: StopAsk = { id: 's1', reason: entry('s1').reason, level: 'cancel', from: 'asker' };
const mine = { claim: 'c1', node: 'n1' };
const HOUR = 3_600_000;

describe('claiming a run', () => {
  it('D3 claiming a run finds what was asked before, for as long as each asker said', () => {
    const record = { ...unhosted, stops: [entry('old', { at: 1, keptMs: HOUR }), entry('short', { at: 10, keptMs: 9 }), entry('new', { at: 10, keptMs: HOUR }), entry('t', { at: 10, turnId: 4 })] }; // prettier-ignore
    const { stops } = claimRun(record, mine, HOUR + 5).result;
    expect(stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual([
      'old superseded',
      'short superseded',
      'new requested',
      't requested',
    ]);
  });

  it('D7 claiming a run twice is one claim; another claim is a newer epoch, by the time of the engine', () => {
    const claimed = claimRun(running(), { claim: 'c2', node: 'n2' }, 5_000);
    expect([claimed.result.epoch, claimed.inboxes]).toEqual([5_000, ['n1']]);
    expect(claimRun(claimed.result, { claim: 'c2', node: 'n2' }, 6_000).record).toBeUndefined();
    expect(claimRun(claimed.result, mine, 10).result.epoch).toBe(5_001);
  });

  it('D7 claiming a run again whose claim the engine has lost with its answer keeps its epoch, unless a later one has it', () => {
    expect(claimRun(undefined, { ...mine, tried: 30 }, 50).result.epoch).toBe(30);
    expect(claimRun(running({ epoch: 40, claim: 'c2' }), { ...mine, tried: 30 }, 50).result.epoch).toBe(41);
  });

  it('claiming a run from another host takes no stop over that names a turn or a hosting, and hands on one whose work has not ended', () => {
    const stops = [entry('all'), entry('turn', { turnId: 1 }), entry('one', { only: 7 }), entry('told', { phase: 'observed' })]; // prettier-ignore
    const { result, hints } = claimRun(running({ stops }), { claim: 'c2', node: 'n2' }, 200);
    expect(result.stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual([
      ...['all requested', 'turn superseded', 'one superseded', 'told superseded', 'told+200 requested'],
    ]);
    expect(hints).toEqual(['asker']);
  });

  it('D10 claiming a run whose work is wanted again takes over what was asked for since, and nothing older', () => {
    const asked = [entry('before', { at: 149 }), entry('told before', { at: 149, phase: 'observed' }), entry('since', { at: 151 })]; // prettier-ignore
    for (const state of ['running', 'pending'] as const) {
      const stops = [...asked, entry('over', { at: 149, phase: 'settled' })];
      const again = { claim: 'c2', node: 'n2', wantedForMs: 50 };
      const { result } = claimRun(running({ state, stops }), again, 200);
      expect(result.stops.map(({ phase }) => phase)).toEqual(['superseded', 'superseded', 'requested', 'settled']);
    }
  });
});

describe('a stop that was told in the process of its asker', () => {
  const ask = { id: 's', reason: entry('s').reason, level: 'cancel', from: 'n1', isTold: true, of: 7 } as const;

  it('D10 a stop that was told in the process of its asker is for the hosting that was told and its retries, and for no other', () => {
    expect(askStop(running(), ask, 200).result).toMatchObject({ answer: 'kept' });
    expect(askStop(running({ epoch: 8 }), ask, 200)).toEqual({ record: undefined, result: { answer: 'superseded' } });
    // The engine has lost it: another one is not told, and where it is back, its retry is.
    const lost = written(askStop(running({ epoch: 6, claim: 'c0', node: 'n0' }), ask, 200));
    const hosting = { ...mine, epoch: 7, stops: [entry('s', { phase: 'observed' })], unwritten: [], now: 200 };
    const ended = written(endRun(lost, hosting, 'retry'));
    const { stops } = claimRun(ended, { claim: 'c2', node: 'n2' }, 201).result;
    expect([lost, { stops }].map((record) => record.stops.map(({ id, only }) => [id, only]))).toEqual([
      [['s', 7]],
      [
        ['s', 7],
        ['s+201', undefined],
      ],
    ]);
  });
});

describe('what a hosting knows', () => {
  const hosting = { ...mine, epoch: 7, stops: [entry('s1', { phase: 'observed' })], unwritten: [], now: 200 };

  it('what a hosting knows is written, once', () => {
    const step = assertHosting(running({ stops: [entry('s1')] }), hosting);
    expect(written(step).stops).toMatchObject([{ phase: 'observed' }]);
    expect(step.hints).toEqual(['asker']);
    const record = written(step);
    expect(assertHosting(record, hosting).record).toBe(record);
  });

  it('D12 what a hosting knows is restored where the engine has lost it, beside what was asked meanwhile', () => {
    expect(written(assertHosting(undefined, hosting))).toMatchObject({
      ...{ epoch: 7, state: 'running', node: 'n1', members: [] },
      stops: [{ id: 's1', phase: 'observed' }],
    });
    const met = assertHosting({ ...unhosted, stops: [entry('s1'), entry('s2')] }, hosting);
    expect(written(met).stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['s1 observed', 's2 requested']);
  });

  it('D4 what a hosting knows of a stop that it was told as a kill is written as one, under the request that made it one', () => {
    const told = entry('s1', { phase: 'observed', level: 'kill', upgradedBy: 's2' });
    const met = assertHosting({ ...unhosted, stops: [entry('s1')] }, { ...hosting, stops: [told] });
    expect(written(met).stops).toMatchObject([{ id: 's1', level: 'kill', upgradedBy: 's2', phase: 'observed' }]);
  });

  it('D4 what a hosting knows of a stop is nothing of the kill that it became while the engine had lost the hosting', () => {
    const met = assertHosting({ ...unhosted, stops: [entry('s1', { level: 'kill', upgradedBy: 's2' })] }, hosting);
    expect(written(met).stops).toMatchObject([{ id: 's1', level: 'kill', phase: 'requested' }]);
  });

  it('D12 what a hosting was told in its own process is written with what it knows, and members elsewhere hear of it', () => {
    const told = entry('s2', { phase: 'settled', at: 0, from: 'n1' });
    const step = assertHosting(running({ members: [{ id: 'm', node: 'n2' }] }), {
      ...hosting,
      stops: [told],
      unwritten: [told],
    });
    expect(written(step).stops).toMatchObject([{ id: 's2', phase: 'settled', at: 200, members: [{ id: 'm' }] }]);
    expect(step.inboxes).toEqual(['n2']);
  });

  it('D5 what a hosting restores waits for members that came back sooner, and for none of another turn', () => {
    const members = [
      { id: 'm', node: 'n2' },
      { id: 'of turn 2', node: 'n2', turnId: 2 },
    ];
    const told = entry('s1', { phase: 'observed', turnId: 1 });
    const step = assertHosting({ ...unhosted, members }, { ...hosting, stops: [told] });
    expect(written(step).stops).toMatchObject([{ id: 's1', members: [{ id: 'm' }] }]);
  });

  it('D7 what a hosting knows is refused when a later one has the run; an earlier one is told that it was replaced', () => {
    expect(assertHosting(running({ epoch: 8, claim: 'c2' }), hosting)).toEqual({ record: undefined, result: 'taken' }); // prettier-ignore
    const step = assertHosting(running({ epoch: 6, claim: 'c0', node: 'n0' }), hosting);
    expect([written(step).epoch, step.inboxes]).toEqual([7, ['n0']]);
  });
});

describe('the groups of a run', () => {
  it('the groups of a run are those of its hosting, over a retry and where an engine has lost them, until it has ended', () => {
    const claim = { ...mine, groups: ['g'] };
    const claimed = claimRun(undefined, claim, 50).result;
    const hosting = { ...claim, epoch: claimed.epoch, stops: [], unwritten: [], now: 60 };
    expect(claimed.groups).toEqual(['g']);
    expect(written(assertHosting(undefined, hosting)).groups).toEqual(['g']);
    expect(written(askStop(claimed, ask, 60)).groups).toEqual(['g']);
    const retried = written(endRun(claimed, hosting, 'retry'));
    expect([retried.groups, written(endRun(claimed, hosting, entry('end').reason)).groups]).toEqual([['g'], []]);
    expect(claimRun(retried, { claim: 'c2', node: 'n2' }, 60).result.groups).toEqual([]);
  });
});

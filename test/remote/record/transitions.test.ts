import { describe, expect, it } from 'vitest';

import { MOST_STOPS, unhosted } from '../../../src/remote/record/run-record.ts';
import { askStop, assertHosting, claimRun, type StopAsk } from '../../../src/remote/record/transitions.ts';
import { endRun } from '../../../src/remote/record/end-run.ts';
import { entry, running, written } from '../kit.ts';

const ask: StopAsk = { id: 's1', reason: entry('s1').reason, level: 'cancel', from: 'asker' };
const mine = { claim: 'c1', node: 'n1' };
const HOUR = 3_600_000;

describe('asking for a stop', () => {
  it('asking for a stop before anybody hosts the run is kept, and wakes the members', () => {
    const step = askStop({ ...unhosted, members: [{ id: 'm', node: 'n2' }] }, ask, 50);
    expect(written(step).stops).toMatchObject([{ id: 's1', phase: 'requested', at: 50, members: [{ id: 'm' }] }]);
    expect(step.inboxes).toEqual(['n2']);
    // Also one that the engine has lost, and the asker knows.
    const known = askStop(unhosted, { ...ask, members: [{ id: 'm', node: 'n3' }] }, 50);
    expect([known.inboxes, written(known).stops[0]?.members]).toEqual([['n3'], [{ id: 'm', node: 'n3' }]]);
  });

  it('D1 asking for a stop wakes the host, and asking again changes nothing', () => {
    const step = askStop(running(), ask, 50);
    expect(step.inboxes).toEqual(['n1']);
    expect(askStop(written(step), ask, 60)).toMatchObject({ record: undefined, result: { answer: 'kept' } });
  });

  it('D4 asking for a stop joins one that came in between: the first reason stays, and the level grows once', () => {
    const first = written(askStop(running(), ask, 50));
    const [older, reason] = [new Set<string>(), entry('s3').reason];
    expect(askStop(first, { ...ask, id: 's2', older }, 60)).toMatchObject({ record: undefined, result: { stop: { id: 's1' } } }); // prettier-ignore
    const killed = written(askStop(first, { ...ask, id: 's3', level: 'kill', reason, older }, 70));
    expect(killed.stops).toMatchObject([{ id: 's1', level: 'kill', upgradedBy: 's3', reason: { message: 's1' } }]);
    expect(askStop(killed, { ...ask, id: 's4', older }, 80).record).toBeUndefined();
    expect(askStop(killed, { ...ask, id: 's3', level: 'kill' }, 80).record).toBeUndefined();
  });

  it('asking for a stop joins none that its host may have told before: one that was there, or one that is written late or again', () => {
    const ids = (record: ReturnType<typeof running>, older?: ReadonlySet<string>): readonly string[] =>
      written(askStop(record, { ...ask, id: 's2', older }, 60)).stops.map(({ id }) => id);
    const first = written(askStop(running(), ask, 50));
    expect([ids(first), ids(first, new Set(['s1']))]).toEqual([
      ['s1', 's2'],
      ['s1', 's2'],
    ]);
    for (const told of [{ isTold: true }, { isAgain: true }])
      expect(ids(written(askStop(running(), { ...ask, ...told }, 50)), new Set())).toEqual(['s1', 's2']);
    // Whoever wants more of one that waits says so in it: its host is told again.
    const killed = written(askStop(first, { ...ask, id: 's3', level: 'kill' }, 60));
    expect(killed.stops).toMatchObject([{ id: 's1', level: 'kill', upgradedBy: 's3' }]);
  });

  it('asking for a stop after the work was told is one more stop', () => {
    const record = running({ stops: [entry('s0', { phase: 'observed' })] });
    expect(written(askStop(record, ask, 50)).stops.map(({ id }) => id)).toEqual(['s0', 's1']);
  });

  it('D7 asking for a stop of a hosting that was replaced touches no later one', () => {
    expect(askStop(running(), { ...ask, only: 6 }, 50)).toMatchObject({ record: undefined, result: { answer: 'superseded' } }); // prettier-ignore
    expect(written(askStop(running(), { ...ask, only: 7 }, 50)).stops).toHaveLength(1);
  });

  it('D7 asking for a stop of the hosting that was seen touches no later one, and D10 holds for a retry of it', () => {
    const seen = { ...ask, of: 7 };
    expect(askStop(running({ epoch: 8 }), seen, 50).result).toEqual({ answer: 'superseded' });
    expect(written(askStop(running(), seen, 50)).stops).toMatchObject([{ id: 's1', phase: 'requested' }]);
    expect(written(askStop(running(), seen, 50)).stops[0]).not.toHaveProperty('only');
    // The engine has lost the record: whoever claims the run anew is not the one that was seen.
    const lost = written(askStop(undefined, seen, 50));
    expect(lost.stops).toMatchObject([{ only: 7 }]);
    expect(claimRun(lost, { claim: 'c2', node: 'n2' }, 60, HOUR).result.stops).toMatchObject([{ phase: 'superseded' }]);
    const back = { ...mine, epoch: 7, stops: [], unwritten: [], now: 60 };
    expect(written(assertHosting(lost, back, [])).stops).toMatchObject([{ phase: 'requested' }]);
  });

  it('asking for a stop after the end is late; of a turn of a hosting that is gone, superseded', () => {
    expect(askStop(running({ state: 'settled' }), ask, 50).result).toEqual({ answer: 'late' });
    expect(askStop(running({ state: 'pending' }), { ...ask, turnId: 3 }, 50).result).toEqual({ answer: 'superseded' });
    // An earlier hosting that has ended says nothing of the one that is meant, and that the engine has lost.
    const kept = written(askStop(running({ state: 'settled' }), { ...ask, only: 9 }, 50));
    expect([kept.state, kept.stops]).toMatchObject(['settled', [{ phase: 'requested', only: 9 }]]);
    const late = { ...ask, turnId: 3, agoMs: 50 };
    expect(askStop(running({ isReplacement: true }), late, 50).result).toEqual({ answer: 'superseded' });
    expect(askStop(running(), late, 50).result).toMatchObject({ answer: 'kept' });
    expect(askStop(running({ isReplacement: true }), { ...late, agoMs: 40 }, 50).result).toMatchObject({ answer: 'kept' }); // prettier-ignore
  });

  it('asking for a stop when many wait drops what is over, and nothing that nobody was told of', () => {
    const open = Array.from({ length: MOST_STOPS }, (_, n) => entry(`o${String(n)}`, { turnId: n }));
    expect(askStop(running({ stops: open }), ask, 50)).toMatchObject({ record: undefined, result: { answer: 'full' } });
    const over = [...open.slice(1), entry('over', { phase: 'settled' })];
    expect(written(askStop(running({ stops: over }), ask, 50)).stops.some(({ id }) => id === 'over')).toBe(false);
  });

  it('asking for a stop when many of the same work wait takes the place of the last, as hard as that and for whom that was', () => {
    const [m, stops] = [{ id: 'm', node: 'n2' }, Array.from({ length: MOST_STOPS }, (_, n) => entry(`o${String(n)}`))];
    const full = running({ stops: [...stops.slice(1), entry('last', { level: 'kill', members: [m] })] });
    const { stops: kept } = written(askStop(full, ask, 50));
    expect([kept.length, kept[0]?.id, kept.at(-1)]).toMatchObject([MOST_STOPS, 'o1', { id: 's1', level: 'kill', members: [m] }]); // prettier-ignore
  });
});

describe('claiming a run', () => {
  it('D3 claiming a run finds what was asked before, for an hour', () => {
    const record = { ...unhosted, stops: [entry('old', { at: 1 }), entry('new', { at: 10 }), entry('t', { at: 10, turnId: 4 })] }; // prettier-ignore
    const { stops } = claimRun(record, mine, HOUR + 5, HOUR).result;
    expect(stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['old superseded', 'new requested', 't requested']);
  });

  it('D7 claiming a run twice is one claim; another claim is a newer epoch, by the time of the engine', () => {
    const claimed = claimRun(running(), { claim: 'c2', node: 'n2' }, 5_000, HOUR);
    expect([claimed.result.epoch, claimed.inboxes]).toEqual([5_000, ['n1']]);
    expect(claimRun(claimed.result, { claim: 'c2', node: 'n2' }, 6_000, HOUR).record).toBeUndefined();
    expect(claimRun(claimed.result, mine, 10, HOUR).result.epoch).toBe(5_001);
  });

  it('D7 claiming a run again whose claim the engine has lost with its answer keeps its epoch, unless a later one has it', () => {
    expect(claimRun(undefined, { ...mine, tried: 30 }, 50, HOUR).result.epoch).toBe(30);
    expect(claimRun(running({ epoch: 40, claim: 'c2' }), { ...mine, tried: 30 }, 50, HOUR).result.epoch).toBe(41);
  });

  it('claiming a run from another host takes no stop over that names a turn or a hosting, and hands on one whose work has not ended', () => {
    const stops = [entry('all'), entry('turn', { turnId: 1 }), entry('one', { only: 7 }), entry('told', { phase: 'observed' })]; // prettier-ignore
    const { result, hints } = claimRun(running({ stops }), { claim: 'c2', node: 'n2' }, 200, HOUR);
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
      const { result } = claimRun(running({ state, stops }), again, 200, HOUR);
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
    const { stops } = claimRun(ended, { claim: 'c2', node: 'n2' }, 201, HOUR).result;
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
    const step = assertHosting(running({ stops: [entry('s1')] }), hosting, []);
    expect(written(step).stops).toMatchObject([{ phase: 'observed' }]);
    expect(step.hints).toEqual(['asker']);
    const record = written(step);
    expect(assertHosting(record, hosting, []).record).toBe(record);
  });

  it('D12 what a hosting knows is restored where the engine has lost it, beside what was asked meanwhile', () => {
    expect(written(assertHosting(undefined, hosting, [{ id: 'm', node: 'n1', told: new Set() }]))).toMatchObject({
      ...{ epoch: 7, state: 'running', node: 'n1', members: [{ id: 'm' }] },
      stops: [{ id: 's1', phase: 'observed' }],
    });
    const met = assertHosting({ ...unhosted, stops: [entry('s1'), entry('s2')] }, hosting, []);
    expect(written(met).stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['s1 observed', 's2 requested']);
  });

  it('D4 what a hosting knows of a stop that it was told as a kill is written as one, under the request that made it one', () => {
    const told = entry('s1', { phase: 'observed', level: 'kill', upgradedBy: 's2' });
    const met = assertHosting({ ...unhosted, stops: [entry('s1')] }, { ...hosting, stops: [told] }, []);
    expect(written(met).stops).toMatchObject([{ id: 's1', level: 'kill', upgradedBy: 's2', phase: 'observed' }]);
  });

  it('D4 what a hosting knows of a stop is nothing of the kill that it became while the engine had lost the hosting', () => {
    const met = assertHosting({ ...unhosted, stops: [entry('s1', { level: 'kill', upgradedBy: 's2' })] }, hosting, []);
    expect(written(met).stops).toMatchObject([{ id: 's1', level: 'kill', phase: 'requested' }]);
  });

  it('D12 what a hosting was told in its own process is written with what it knows, and members elsewhere hear of it', () => {
    const told = entry('s2', { phase: 'settled', at: 0, from: 'n1' });
    const step = assertHosting(
      running({ members: [{ id: 'm', node: 'n2' }] }),
      { ...hosting, stops: [told], unwritten: [told] },
      [],
    );
    expect(written(step).stops).toMatchObject([{ id: 's2', phase: 'settled', at: 200, members: [{ id: 'm' }] }]);
    expect(step.inboxes).toEqual(['n2']);
  });

  it('D5 what a hosting knows waits for a member beside it that was told, whoever wrote the stop', () => {
    const record = running({ stops: [entry('s1', { phase: 'observed' })] });
    const step = assertHosting(record, hosting, [{ id: 'm', node: 'n1', told: new Set(['s1']) }]);
    expect(written(step).stops).toMatchObject([{ id: 's1', members: [{ id: 'm' }] }]);
  });

  it('D5 what a hosting restores waits for members that came back sooner, and for none of another turn', () => {
    const members = [
      { id: 'm', node: 'n2' },
      { id: 'of turn 2', node: 'n2', turnId: 2 },
    ];
    const told = entry('s1', { phase: 'observed', turnId: 1 });
    const step = assertHosting({ ...unhosted, members }, { ...hosting, stops: [told] }, []);
    expect(written(step).stops).toMatchObject([{ id: 's1', members: [{ id: 'm' }] }]);
  });

  it('D7 what a hosting knows is refused when a later one has the run; an earlier one is told that it was replaced', () => {
    expect(assertHosting(running({ epoch: 8, claim: 'c2' }), hosting, [])).toEqual({ record: undefined, result: 'taken' }); // prettier-ignore
    const step = assertHosting(running({ epoch: 6, claim: 'c0', node: 'n0' }), hosting, []);
    expect([written(step).epoch, step.inboxes]).toEqual([7, ['n0']]);
  });
});

describe('the groups of a run', () => {
  it('the groups of a run are those of its hosting, over a retry and where an engine has lost them, until it has ended', () => {
    const claim = { ...mine, groups: ['g'] };
    const claimed = claimRun(undefined, claim, 50, HOUR).result;
    const hosting = { ...claim, epoch: claimed.epoch, stops: [], unwritten: [], now: 60 };
    expect(claimed.groups).toEqual(['g']);
    expect(written(assertHosting(undefined, hosting, [])).groups).toEqual(['g']);
    expect(written(askStop(claimed, ask, 60)).groups).toEqual(['g']);
    const retried = written(endRun(claimed, hosting, 'retry'));
    expect([retried.groups, written(endRun(claimed, hosting, entry('end').reason)).groups]).toEqual([['g'], []]);
    expect(claimRun(retried, { claim: 'c2', node: 'n2' }, 60, HOUR).result.groups).toEqual([]);
  });
});

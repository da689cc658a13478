import { describe, expect, it } from 'vitest';

import { MOST_NARROW, MOST_STOPS, unhosted } from '../../../src/remote/record/run-record.ts';
import { askStop, type StopAsk } from '../../../src/remote/record/ask-stop.ts';
import { assertHosting, claimRun } from '../../../src/remote/record/transitions.ts';
import { entry, running, written } from '../kit.ts';

const ask: StopAsk = { id: 's1', reason: entry('s1').reason, level: 'cancel', from: 'asker' };
const mine = { claim: 'c1', node: 'n1' };

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
    // One that waits longer is one of its own.
    const longer = askStop(killed, { ...ask, id: 's5', older, keptMs: 90 }, 80);
    expect(written(longer).stops).toMatchObject([{ id: 's1' }, { id: 's5', keptMs: 90 }]);
    expect(askStop(written(longer), { ...ask, id: 's6', older, keptMs: 80 }, 80).record).toBeUndefined();
  });

  it('asking for a stop joins none that its host may have told before: one that was there, or one that is written late or again', () => {
    const first = written(askStop(running(), ask, 50));
    // Of a kill too: an engine may have lost that the host was told of one.
    for (const level of ['cancel', 'kill'] as const) {
      const ids = (record: ReturnType<typeof running>, older?: ReadonlySet<string>): readonly string[] =>
        written(askStop(record, { ...ask, id: 's2', level, older }, 60)).stops.map(({ id }) => id);
      expect([ids(first), ids(first, new Set(['s1']))]).toEqual([
        ['s1', 's2'],
        ['s1', 's2'],
      ]);
      for (const told of [{ isTold: true }, { isAgain: true }])
        expect(ids(written(askStop(running(), { ...ask, ...told }, 50)), new Set())).toEqual(['s1', 's2']);
    }
  });

  it('asking for a stop after the work was told is one more stop', () => {
    const record = running({ stops: [entry('s0', { phase: 'observed' })] });
    expect(written(askStop(record, ask, 50)).stops.map(({ id }) => id)).toEqual(['s0', 's1']);
  });

  it('D7 asking for a stop of a hosting that was replaced touches no later one', () => {
    expect(askStop(running(), { ...ask, only: 6 }, 50)).toMatchObject({ record: undefined, result: { answer: 'superseded' } }); // prettier-ignore
    expect(written(askStop(running(), { ...ask, only: 7 }, 50)).stops).toHaveLength(1);
  });

  it('D7 asking for a stop of an attempt that has ended, of it alone, is superseded before the next one begins', () => {
    const between = running({ state: 'pending' });
    expect(askStop(between, { ...ask, only: 7 }, 50).result).toEqual({ answer: 'superseded' });
    expect(written(askStop(between, { ...ask, only: 8 }, 50)).stops).toHaveLength(1);
    expect(written(askStop(unhosted, { ...ask, only: 0 }, 50)).stops).toHaveLength(1);
  });

  it('D7 asking for a stop of the hosting that was seen touches no later one, and D10 holds for a retry of it', () => {
    const seen = { ...ask, of: 7 };
    expect(askStop(running({ epoch: 8 }), seen, 50).result).toEqual({ answer: 'superseded' });
    expect(written(askStop(running(), seen, 50)).stops).toMatchObject([{ id: 's1', phase: 'requested' }]);
    expect(written(askStop(running(), seen, 50)).stops[0]).not.toHaveProperty('only');
    // The engine has lost the record: whoever claims the run anew is not the one that was seen.
    const lost = written(askStop(undefined, seen, 50));
    expect(lost.stops).toMatchObject([{ only: 7 }]);
    expect(claimRun(lost, { claim: 'c2', node: 'n2' }, 60).result.stops).toMatchObject([{ phase: 'superseded' }]);
    const back = { ...mine, epoch: 7, stops: [], unwritten: [], now: 60 };
    expect(written(assertHosting(lost, back)).stops).toMatchObject([{ phase: 'requested' }]);
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
    const over = entry('over', { phase: 'settled' });
    const open = Array.from({ length: MOST_STOPS - 1 }, (_, n) => entry(`o${String(n)}`, { turnId: n }));
    const { stops } = written(askStop(running({ stops: [over, ...open] }), ask, 50));
    expect(stops.map(({ id }) => id)).toEqual([...open.map(({ id }) => id), 's1']);
  });

  it.each([
    ['turns', (n: number) => ({ turnId: n + 1 })],
    ['hostings that are not there', (n: number) => ({ only: n + 8 })],
  ])('asking for a stop of everything finds room, however many stops of %s wait', (_what, aimOf) => {
    const each = Array.from({ length: 2 * MOST_STOPS }, (_, n) => ({ ...ask, ...aimOf(n), id: `o${String(n)}` }));
    let record = running();
    const answers = each.map((one) => {
      const step = askStop(record, one, 50);
      record = step.record ?? record;
      return step.result.answer;
    });
    expect(answers).toEqual(each.map((_, n) => (n < MOST_NARROW ? 'kept' : 'refused')));
    // Those that are kept are joined: nothing goes.
    expect(askStop(record, { ...ask, ...aimOf(0), isAgain: true }, 50).result).toMatchObject({ stop: { id: 'o0' } });
    for (const of of [{}, { only: 7 }, { isTold: true }, { level: 'kill' } as const])
      expect(written(askStop(record, { ...ask, ...of }, 50)).stops).toHaveLength(MOST_NARROW + 1);
  });

  it('asking for a stop of a turn joins one of that turn, told or not, unless that does not know its members', () => {
    for (const phase of ['requested', 'observed'] as const) {
      const record = running({ stops: [entry('s0', { phase, turnId: 3 })] });
      const again = { ...ask, turnId: 3, older: new Set(['s0']) };
      expect(askStop(record, again, 50)).toMatchObject({ record: undefined, result: { stop: { id: 's0' } } });
      for (const other of [{ turnId: 4 }, { isTold: true }, { members: [{ id: 'm', node: 'n2' }] }])
        expect(written(askStop(record, { ...again, ...other }, 50)).stops).toHaveLength(2);
    }
  });

  it('asking for a stop when many of the same work wait takes the place of the last, as hard as that and for whom that was', () => {
    const [m, stops] = [{ id: 'm', node: 'n2' }, Array.from({ length: MOST_STOPS }, (_, n) => entry(`o${String(n)}`))];
    const full = running({ stops: [...stops.slice(1), entry('last', { level: 'kill', members: [m] })] });
    const told = running({ stops: [...stops.slice(1), entry('last', { phase: 'observed', members: [m] })] });
    for (const [crowd, level] of [
      [full, 'cancel'],
      [told, 'kill'],
    ] as const) {
      // prettier-ignore
      const { stops: kept } = written(askStop(crowd, { ...ask, level }, 50));
      expect([kept.length, kept[0]?.id, kept.at(-1)]).toMatchObject([MOST_STOPS, 'o1', { id: 's1', level: 'kill', members: [m] }]); // prettier-ignore
    }
  });

  it('D7 a stop of a hosting that was live when another one took its place is not for that, and one of an attempt that was given up is', () => {
    for (const [state, answer] of [
      ['running', 'superseded'],
      ['pending', 'kept'],
    ] as const) {
      const next = claimRun(running({ state }), { claim: 'c2', node: 'n2' }, 200).result;
      expect(askStop(next, { ...ask, of: 7 }, 210).result.answer).toBe(answer);
    }
  });
});

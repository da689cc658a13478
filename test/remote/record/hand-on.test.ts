import { describe, expect, it } from 'vitest';

import { carryOver, handedOnId, isForLater, originOf } from '../../../src/remote/record/hand-on.ts';
import { unhosted } from '../../../src/remote/record/run-record.ts';
import { endRun } from '../../../src/remote/record/end-run.ts';
import { assertHosting, claimRun } from '../../../src/remote/record/transitions.ts';
import { entry, running, written } from '../kit.ts';

describe('a stop that is handed on', () => {
  const next = { epoch: 9, told: undefined };

  it('a stop that is handed on keeps the name that it was asked for by, however often', () => {
    const twice = handedOnId(handedOnId('s+x', 7), 9);
    expect([twice, originOf(twice), originOf('s+x')]).toEqual(['s+x+7+9', 's+x', 's+x']);
  });

  it('D10 a stop that was told and has not ended is handed on, unless the next hosting was told it here', () => {
    const told = entry('s', { phase: 'observed' });
    const phases = (heard: ReadonlySet<string> | undefined): readonly string[] =>
      carryOver(told, running(), { ...next, told: heard }).map(({ id, phase }) => `${id} ${phase}`);
    expect(phases(undefined)).toEqual(['s superseded', 's+9 requested']);
    expect(phases(new Set(['s']))).toEqual(['s superseded']);
  });

  it('D10 a stop whose work has ended is handed on to a retry only, also where a loss of records keeps it from being over', () => {
    const ended = entry('s', { phase: 'observed', report: {} });
    const phases = (record: ReturnType<typeof running>): readonly string[] =>
      carryOver(ended, record, next).map(({ id, phase }) => `${id} ${phase}`);
    expect(phases(running())).toEqual(['s superseded']);
    expect(phases(running({ state: 'pending' }))).toEqual(['s superseded', 's+9 requested']);
  });

  it('D10 a stop of the last turn that was told and has not ended is handed on as one of everything, and no other of a turn', () => {
    const told = entry('s', { phase: 'observed', turnId: 1, only: 7, holds: true });
    const handed = carryOver(told, running(), next);
    expect(handed).toMatchObject([
      { phase: 'superseded', turnId: 1 },
      { id: 's+9', phase: 'requested' },
    ]);
    expect(handed[1]).toEqual({ ...entry('s'), id: 's+9' });
    for (const other of [{ holds: undefined }, { report: {} }, { phase: 'settled' } as const])
      expect(carryOver({ ...told, ...other }, running(), next)).toHaveLength(1);
    expect(carryOver(told, running({ state: 'settled' }), next)).toHaveLength(1);
  });

  it('D7 a stop of a hosting that is not back yet stays for it; one of a hosting that is gone is superseded', () => {
    const of = (only: number): string | undefined => carryOver(entry('s', { only }), running(), next)[0]?.phase;
    expect([of(8), of(9), of(10)]).toEqual(['superseded', 'requested', 'requested']);
    expect([isForLater(entry('s', { only: 9 }), 9), isForLater(entry('s', { only: 10 }), 9)]).toEqual([false, true]);
  });

  it('D11 a stop of a hosting that never comes is kept no longer than any other', () => {
    const of = (now: number) => carryOver(entry('s', { only: 10, keptMs: 50 }), running(), { ...next, now })[0]?.phase; // prettier-ignore
    expect([of(149), of(150)]).toEqual(['requested', 'superseded']);
  });

  it('D7 a stop of a run that has ended is not handed on, though a loss of records keeps it from being over yet', () => {
    const told = entry('s2', { phase: 'observed' });
    const hosting = { claim: 'c1', node: 'n1', epoch: 7, stops: [told], unwritten: [], now: 60 };
    const before = running({ stops: [entry('s1'), told] });
    const { record: ended, result } = endRun(before, hosting, entry('end').reason, true);
    expect([result, ended?.stops.map(({ phase }) => phase)]).toEqual(['early', ['settled', 'requested', 'observed']]);
    const claimed = claimRun(ended, { claim: 'c2', node: 'n2' }, 70).result;
    expect(claimed.stops.map(({ phase }) => phase)).toEqual(['settled', 'superseded', 'superseded']);
    expect(carryOver(entry('s', { only: 9 }), running({ state: 'settled' }), next)[0]?.phase).toBe('requested');
  });

  it('D7 a stop that is handed on waits for the hosting that the engine has lost, also over an earlier one that is back sooner', () => {
    const lost = { ...unhosted, stops: [entry('s1', { only: 9 })] };
    const earlier = { claim: 'c0', node: 'n0', epoch: 5, stops: [], unwritten: [], now: 60 };
    const back = written(assertHosting(lost, earlier));
    expect(back.stops).toMatchObject([{ id: 's1', phase: 'requested' }]);
    const ended = written(endRun(back, earlier, entry('end').reason));
    expect(ended.stops).toMatchObject([{ id: 's1', phase: 'requested' }]);
    const later = written(assertHosting(ended, { ...earlier, claim: 'c1', node: 'n1', epoch: 9 }));
    expect([later.epoch, later.stops.map(({ phase }) => phase)]).toEqual([9, ['requested']]);
  });
});

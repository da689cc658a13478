import { describe, expect, it } from 'vitest';

import { endRun } from '../../../src/remote/record/end-run.ts';
import type { RunRecord } from '../../../src/remote/record/run-record.ts';
import { askStop, type StopAsk } from '../../../src/remote/record/ask-stop.ts';
import { claimRun } from '../../../src/remote/record/transitions.ts';
import { viewStop } from '../../../src/remote/record/stop-view.ts';
import { entry, running, written } from '../kit.ts';

const mine = { claim: 'c1', node: 'n1' };
const why = entry('end').reason;

describe('the end of a hosting', () => {
  const hosting = { ...mine, epoch: 7, stops: [], unwritten: [], now: 200 };
  const stops = [entry('asked'), entry('told', { phase: 'observed' })];

  it('the end of a hosting settles what it was told, and is for good', () => {
    const ended = written(endRun(running({ stops }), hosting, why));
    expect([ended.state, ended.stops.map(({ phase }) => phase)]).toEqual(['settled', ['settled', 'settled']]);
    expect(endRun(ended, hosting, why).record).toBeUndefined();
  });

  it('D10 the end of an attempt leaves the stop for the next one, also when this one was told', () => {
    const ended = written(endRun(running({ stops }), hosting, 'retry'));
    expect([ended.state, ended.stops.map(({ phase }) => phase)]).toEqual(['pending', ['requested', 'settled']]);
    const next = claimRun(ended, { claim: 'c2', node: 'n2' }, 200).result;
    expect(next.stops.filter(({ phase }) => phase === 'requested').map(({ id }) => id)).toEqual(['asked', 'told+200']);
  });

  it('D7 the end of an attempt leaves nobody a stop that named this attempt, or a turn of it, and that was not told', () => {
    const named = [entry('turn', { turnId: 1 }), entry('only', { only: 7 }), entry('later', { only: 9 }), entry('all')];
    const ended = written(endRun(running({ stops: named }), hosting, 'retry'));
    const left = ended.stops.map(({ id, phase }) => `${id} ${phase}`);
    expect(left).toEqual(['turn superseded', 'only superseded', 'later requested', 'all requested']);
  });

  it('D10 the end of an attempt that went on after its stop leaves the next one only what it was not told', () => {
    const given = stops.map((stop) => (stop.id === 'told' ? { ...stop, given: 1 } : stop));
    const ended = written(endRun(running({ stops: given }), { ...hosting, given: 2 }, 'retry'));
    const next = claimRun(ended, { claim: 'c2', node: 'n2' }, 200).result;
    expect(next.stops.map(({ id, phase }) => `${id} ${phase}`)).toEqual(['asked requested', 'told settled']);
  });

  it('D10 a stop is handed on from one attempt to the next once, and not beyond the end of the run', () => {
    const again = (record: RunRecord, claim: string): RunRecord => claimRun(record, { claim, node: 'n1' }, 200).result; // prettier-ignore
    const first = written(endRun(running({ stops: [entry('s', { phase: 'observed' })] }), hosting, 'retry'));
    const second = again(first, 'c2');
    const told = second.stops.map((stop) => ({ ...stop, phase: 'observed' as const }));
    const third = again(
      { ...second, state: 'pending', stops: told.map((stop) => ({ ...stop, phase: 'settled' })) },
      'c3',
    );
    expect(third.stops.filter(({ phase }) => phase === 'requested').map(({ id }) => id)).toEqual(['s+200+201']);
    const over = again(written(endRun(running({ stops: [entry('s', { phase: 'observed' })] }), hosting, why)), 'c2');
    const next = again({ ...over, state: 'pending' }, 'c3');
    expect(next.stops.map(({ phase }) => phase)).toEqual(['settled']);
  });

  it('D5 the end of a hosting that comes early ends the run and not yet its stops, whose host is to answer until it ends them', () => {
    const known = { ...hosting, stops: [entry('told', { phase: 'observed' })] };
    const early = written(endRun(undefined, known, why, true));
    expect([early.state, viewStop(early, 'told')]).toMatchObject(['settled', { status: 'observed', nodes: ['n1'] }]);
    expect(endRun(early, known, why, true)).toEqual({ record: undefined, result: 'early' });
    // What has ended for good is for no other, also while that cannot be said yet.
    const next = claimRun(early, { claim: 'c2', node: 'n2' }, 200).result;
    expect(next.stops.map(({ id, phase }) => [id, phase])).toEqual([['end-c1', 'settled'], ['told', 'superseded']]); // prettier-ignore
    expect(endRun(next, known, why).result).toBe('taken');
    const over = endRun(early, { ...known, stops: [entry('told', { phase: 'settled', report: 'r' })] }, why);
    expect([over.hints, viewStop(written(over), 'told')]).toMatchObject([['asker'], { status: 'settled', nodes: [] }]);
    expect(written(over).node).toBe('');
    const retried = written(endRun(undefined, known, 'retry', true));
    expect(claimRun(retried, { claim: 'c2', node: 'n2' }, 200).result.stops.map(({ phase }) => phase)).toEqual(['superseded', 'requested']); // prettier-ignore
  });

  it('D5 the end of a hosting is there for whoever comes back, where an engine has just lost who works for it', () => {
    const end = { id: 'end-c1', phase: 'settled', reason: why, members: [] };
    const step = endRun(undefined, hosting, why, true);
    expect([step.result, written(step).node, written(step).stops]).toMatchObject(['mine', '', [end]]);
    expect(written(endRun(undefined, hosting, 'retry', true)).stops).toEqual([]);
    expect(endRun(written(step), hosting, why, true).record).toBeUndefined();
  });

  it('D5 the end of a hosting that comes early tells each member once', () => {
    const record = running({ members: [{ id: 'm1', node: 'n2' }], stops: [entry('s', { phase: 'observed' })] });
    const early = written(endRun(record, { ...hosting, stops: record.stops }, why, true));
    const over = written(endRun({ ...early, members: [...early.members, { id: 'm2', node: 'n3' }] }, hosting, why));
    expect(over.stops.map(({ id, phase }) => [id, phase])).toEqual([['end-c1', 'settled'], ['s', 'settled']]); // prettier-ignore
  });

  it('D7 the end of a hosting that was replaced ends nothing', () => {
    expect(endRun(running({ epoch: 8, claim: 'c2' }), hosting, why)).toEqual({ record: undefined, result: 'taken' });
    // It wrote itself down again while an engine had lost the record.
    expect(endRun(running({ epoch: 6, claim: 'c0', node: 'n0' }), hosting, why).inboxes).toEqual(['n0']);
  });

  it('D5 the end of a hosting is a stop of the members that no stop has told, and none before a retry', () => {
    const [told, left] = [{ id: 'm1', node: 'n2' }, { id: 'm2', node: 'n3' }]; // prettier-ignore
    const record = running({ members: [told, left], stops: [entry('s', { phase: 'observed', members: [told] })] });
    const step = endRun(record, hosting, why);
    expect(step.inboxes).toEqual(['n3']);
    expect(written(step).stops).toMatchObject([
      { phase: 'settled', reason: { message: 'end' }, only: 7, members: [left] },
      { id: 's', phase: 'settled', members: [told] },
    ]);
    const retried = endRun(record, hosting, 'retry');
    expect([retried.inboxes, written(retried).stops.length]).toEqual([[], 1]);
  });

  it('D5 the end of a hosting is what a later stop waits for, and who came since is told by that stop', () => {
    const ask: StopAsk = { id: 'late', reason: entry('late').reason, level: 'cancel', from: 'asker' };
    const [first, since] = [{ id: 'm1', node: 'n2' }, { id: 'm2', node: 'n3' }]; // prettier-ignore
    const ended = written(endRun(running({ members: [first] }), hosting, why));
    expect(askStop(ended, ask, 300)).toMatchObject({ record: undefined, result: { stop: { reason: { message: 'end' } } } }); // prettier-ignore
    const joined = { ...ended, members: [first, since] };
    const asked = askStop(joined, ask, 300);
    expect([asked.inboxes, viewStop(written(asked), 'late')]).toMatchObject([['n2', 'n3'], { status: 'requested', nodes: ['n2', 'n3'] }]); // prettier-ignore
    expect(askStop({ ...joined, members: [] }, { ...ask, turnId: 1 }, 300).result).toEqual({ answer: 'late' });
    // What may have been told before it was written is joined by nobody here either.
    const again = written(askStop(joined, { ...ask, isAgain: true }, 300));
    expect(written(askStop(again, { ...ask, id: 'later' }, 310)).stops.at(-1)?.id).toBe('later');
    // None of it is for the hosting that comes next.
    const next = claimRun(written(asked), { claim: 'c2', node: 'n2' }, 400).result;
    expect(next.stops.map(({ phase }) => phase)).toEqual(['settled', 'settled']);
  });
});

import { describe, expect, it } from 'vitest';

import { unhosted, type RunRecord, type StopPhase } from '../../../src/remote/record/run-record.ts';
import { viewStop } from '../../../src/remote/record/stop-view.ts';
import { entry, running } from '../kit.ts';

describe('what is said of a stop', () => {
  it.each([
    ['is pending where nobody hosts the run', { ...unhosted, stops: [entry('s')] }, 'pending', []],
    ['is requested until the host says more', running({ stops: [entry('s')] }), 'requested', ['n1']],
    ['is pending where its hosting is not there', running({ stops: [entry('s', { only: 8 })] }), 'pending', []],
    ['is observed when the host has said so', running({ stops: [entry('s', { phase: 'observed' })] }), 'observed', ['n1']], // prettier-ignore
    ['is settled at the end', running({ stops: [entry('s', { phase: 'settled' })] }), 'settled', []],
    ['is superseded with its hosting', running({ stops: [entry('s', { phase: 'superseded' })] }), 'superseded', []],
    ['is lost where the record does not know it', running(), 'lost', []],
    ['is lost where there is no record', undefined, 'lost', []],
  ] as const)('what is said of a stop %s', (_what, record, status, nodes) => {
    expect(viewStop(record, 's')).toMatchObject({ status, nodes });
  });

  it.each([
    ['its hosting was replaced', ['s superseded'], 'superseded'],
    ['it waits for the next hosting to be told', ['s superseded', 's+8 requested'], 'requested'],
    ['the next hosting has ended what it was for', ['s superseded', 's+8 settled'], 'settled'],
    ['it was handed on twice', ['s superseded', 's+8 superseded', 's+8+9 observed'], 'observed'],
    ['it was handed on, and forgotten itself', ['s+8 observed'], 'observed'],
    ['it had ended when it was handed on', ['s settled', 's+8 requested'], 'settled'],
    ['another one was handed on', ['s superseded', 's2+8 settled'], 'superseded'],
  ])('D10 what is said of a stop where %s is what becomes of it', (_where, stops, status) => {
    const entries = stops.map((stop) => {
      const [id = '', phase] = stop.split(' ');
      return entry(id, { phase: phase as StopPhase });
    });
    expect(viewStop(running({ stops: entries }), 's')).toMatchObject({ status, stop: { id: 's' } });
  });

  it('what is said of a stop waits for the members that were there', () => {
    const members = [{ id: 'm', node: 'n2' }];
    const told = running({ stops: [entry('s', { phase: 'settled', report: {}, members })] });
    expect(viewStop(told, 's')).toMatchObject({ status: 'observed', nodes: ['n2'] });
    const untold = running({ stops: [entry('s', { phase: 'settled', members })] });
    expect(viewStop(untold, 's')).toMatchObject({ status: 'requested', nodes: ['n2'] });
  });

  it('D4 what is said of a stop names the first of those that came before the hosting, with the same aim, which is told of them at once', () => {
    const stops = [
      entry('end', { phase: 'settled', only: 7 }),
      entry('gone', { phase: 'superseded', at: 2 }),
      entry('here', { mayBeTold: true, at: 3 }),
      entry('turn', { turnId: 1, at: 4 }),
      entry('first', { at: 5 }),
      entry('second', { at: 6 }),
      entry('late', { at: 8 }),
    ];
    const named = (record: Partial<RunRecord>): readonly unknown[] =>
      ['here', 'turn', 'first', 'second', 'late'].map(
        (id) => viewStop(running({ stops, ...record }), id).reason?.message,
      );
    expect(named({})).toEqual(['here', 'turn', 'first', 'first', 'late']);
    expect(named({ state: 'pending', node: '' })).toEqual(['here', 'turn', 'first', 'first', 'first']);
  });
});

import { describe, expect, it } from 'vitest';

import { unhosted, type RunRecord } from '../../../src/remote/record/run-record.ts';
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

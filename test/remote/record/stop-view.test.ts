import { describe, expect, it } from 'vitest';

import { unhosted } from '../../../src/remote/record/run-record.ts';
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
});

import { describe, expect, it } from 'vitest';

import { decodeRecord, encodeRecord, findStop, isFinal, unhosted } from '../../../src/remote/record/run-record.ts';
import { entry, running } from '../kit.ts';

describe('the record of a run', () => {
  it('the record of a run is read as it was written, and written again with the same letters', () => {
    const record = running({
      stops: [
        entry('s1', { level: 'kill', turnId: 2, only: 7, upgradedBy: 's2', members: [{ id: 'm1', node: 'n2' }] }),
        entry('s3', { phase: 'settled', mayBeTold: true, holds: true, report: { q: 1 } }),
      ],
      members: [{ id: 'm1', node: 'n2' }],
    });
    const written = encodeRecord(record);
    expect(decodeRecord(written)).toEqual(record);
    expect(encodeRecord(decodeRecord(written))).toBe(written);
  });

  it('the record of a run that nobody stopped is short: engines keep many', () => {
    expect(encodeRecord(running()).length).toBeLessThan(40);
    expect(decodeRecord(encodeRecord(unhosted))).toEqual(unhosted);
  });

  it.each(['', 'no JSON', '{}', '[2,1,1,"a","b",[],[]]', '[1,1,9,"a","b",[],[]]', '[1,1,1,"a","b",[{}],[]]'])(
    'the record of a run that somebody else wrote, %j, is refused by name',
    (value) => {
      expect(() => decodeRecord(value)).toThrow('the record of a run must be one that this version wrote');
    },
  );

  it('a stop is found under its own name, and under that of the request that made a kill of it', () => {
    const record = running({ stops: [entry('s1', { upgradedBy: 's2' })] });
    expect([findStop(record, 's1')?.id, findStop(record, 's2')?.id, findStop(record, 's3')]).toEqual(['s1', 's1', undefined]); // prettier-ignore
    expect(['requested', 'observed', 'settled', 'superseded'].map((phase) => isFinal(entry('x', { phase } as never)))).toEqual([false, false, true, true]); // prettier-ignore
  });

  it('the groups of a run are read as they were written, and cost nothing where there are none', () => {
    const record = running({ groups: ['tenant:acme', 'user:7'] });
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
    expect(encodeRecord(running({ groups: [] }))).toBe(encodeRecord(running()));
    expect(decodeRecord('[1,7,1,"n1","c1",[],[],"none"]').groups).toEqual([]);
  });
});

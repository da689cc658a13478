import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { readReport, writeReason, writeReport } from '../../../src/remote/record/report-wire.ts';
import { encodeRecord, unhosted } from '../../../src/remote/record/run-record.ts';
import { report } from '../kit.ts';

describe('a report on its way', () => {
  it('a report on its way keeps what it says of the work, and neither messages nor errors', () => {
    const wire = JSON.stringify(writeReport(report));
    expect(wire).not.toMatch(/secret|private/);
    const read = readReport(JSON.parse(wire));
    expect(read).toMatchObject({ turnId: 3, settledMs: 9, abandoned: ['deaf'], reason: { kind: 'user', at: 5 } });
    expect(read?.operations.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'deaf abandoned',
      'search cancelled',
    ]);
    expect([read?.callbackErrors.length, read?.undelivered]).toEqual([1, ['(kept by the host)']]);
  });

  it('a report on its way stays small, and what still runs is the last to be cut', () => {
    const row = { kind: 'tool', name: 'x'.repeat(5_000), agent: 'main', outcome: 'cancelled', ms: 1 } as const;
    const operations = [
      ...Array.from({ length: 500 }, () => row),
      { ...row, name: 'deaf', outcome: 'abandoned' as const },
    ];
    const wire = writeReport({ ...report, operations });
    expect(JSON.stringify(wire).length).toBeLessThan(8_000);
    expect(readReport(wire)?.operations[0]).toMatchObject({ name: 'deaf' });
  });

  it('a reason on its way stays small, whatever somebody has typed', () => {
    const reason = createReason({ kind: 'user', by: 'ada', message: 'no '.repeat(30_000), detail: { ticket: 7 } });
    expect(writeReason(reason)).toMatchObject({
      by: 'ada',
      message: expect.stringMatching(/^no no /),
      detail: { ticket: 7 },
    });
    expect(JSON.stringify(writeReport({ ...report, reason })).length).toBeLessThan(4_000);
    const by = createReason({ kind: 'user', by: 'ada'.repeat(30_000), source: 'page'.repeat(30_000) });
    expect(JSON.stringify(writeReason(by)).length).toBeLessThan(5_000);
    const stop = { id: 'a', phase: 'settled', level: 'cancel', reason, at: 1, from: 'n', members: [] } as const;
    expect(encodeRecord({ ...unhosted, stops: [stop] }).length).toBeLessThan(3_000);
  });

  it.each([undefined, null, 'text', {}, { q: 1, o: 7 }])('a report on its way that is %j is none', (wire) => {
    expect(readReport(wire)).toBeUndefined();
  });

  it('a report on its way that lies about its numbers makes no list without end', () => {
    expect(readReport({ ...writeReport(report), u: 1e12, e: -1 })?.undelivered).toHaveLength(1_000);
  });
});

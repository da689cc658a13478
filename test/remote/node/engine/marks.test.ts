import { describe, expect, it } from 'vitest';

import { Marks } from '../../../../src/remote/node/engine/marks.ts';

describe('the marks of heartbeats', () => {
  it('the marks of heartbeats tell whether an engine has what it had', () => {
    const marks = new Marks();
    for (const mark of ['a', 'b', 'c', 'd', 'e']) marks.sent(mark);
    expect(marks.found('a', 'of another life')).toBe('whole');
    marks.sent('b');
    expect(marks.found('b', 'a')).toBe('whole');
    marks.sent('c');
    expect(marks.found('c', 'a')).toBe('lost');
    marks.sent('d');
    expect(marks.found('d', undefined)).toBe('lost');
  });

  it('the marks of heartbeats that were not answered say nothing of what they found', () => {
    const marks = new Marks();
    marks.sent('a');
    marks.found('a', undefined);
    marks.sent('lost on the way back');
    marks.sent('b');
    expect(marks.found('b', 'lost on the way back')).toBe('unknown');
    marks.sent('c');
    expect(marks.found('c', 'b')).toBe('whole');
    marks.forget();
    marks.sent('d');
    expect(marks.found('d', 'c')).toBe('whole');
  });
});

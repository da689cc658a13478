import { expect, it } from 'vitest';

import { findingOf, worstOf } from '../../../../src/testing/program/stage/findings.ts';

it('what every program owes fails, what none has promised is noted, and what is promised fails', () => {
  const seen = { sentence: 's' };
  expect(findingOf('stream', false, seen).status).toBe('failed');
  expect(findingOf('batch', false, seen).status).toBe('noted');
  expect(findingOf('batch', false, seen, ['batch']).status).toBe('failed');
  expect(findingOf('fact', false, seen, ['batch']).status).toBe('noted');
  expect(findingOf('batch', true, { sentence: 's', ms: 3 })).toEqual({
    about: 'batch',
    status: 'passed',
    sentence: 's',
    ms: 3,
  });
});

it('the worst of several is a failure, and of none that nothing applies', () => {
  expect(worstOf(['passed', 'failed', 'noted'])).toBe('failed');
  expect(worstOf(['passed', 'not-applicable'])).toBe('passed');
  expect(worstOf([])).toBe('not-applicable');
});

it('what was not played is worse than any fact, and no failure', () => {
  expect(worstOf(['passed', 'unplayed', 'noted'])).toBe('unplayed');
  expect(worstOf(['unplayed', 'failed'])).toBe('failed');
});

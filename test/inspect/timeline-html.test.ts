import { expect, it } from 'vitest';

import { timelineHtml } from '../../src/inspect/index.ts';
import { hostile, row, stopped, traceOf } from './kit.ts';

it('the page names who was asked, when it settled, and what still runs', () => {
  const page = timelineHtml(stopped);
  expect(page).toContain('Asked: turn 1, tool search, tool deploy. First reaction after 10 ms. Settled after 300 ms.');
  expect(page).toContain('<span class="alarm">Still running: tool deploy.</span>');
  expect(page.match(/<tr tabindex="0" class="([a-z]+)"/g)).toHaveLength(3);
});

it('every text is escaped, wherever it stands', () => {
  const { stops } = stopped;
  const trace = traceOf([row({ id: 'a', name: hostile, agent: hostile, kind: hostile, outcome: hostile as never })], {
    stops: stops.map((stop) => ({ ...stop, agent: hostile, reason: { ...stop.reason, message: hostile } })),
  });
  const page = timelineHtml(trace);
  expect(page).not.toContain('<script');
  expect(page).not.toContain("onfocus='");
  expect(page).not.toMatch(/[\u001b\u202e]/);
  expect(page.match(/class="other"/g)).toHaveLength(1);
});

it('a page without a stop says so', () => {
  expect(timelineHtml(traceOf([]))).toContain('Nothing was stopped.');
});

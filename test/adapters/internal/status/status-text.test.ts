import { describe, expect, it } from 'vitest';

import { elapsedText, statusText, stopText } from '../../../../src/adapters/internal/status/status-text.ts';
import type { StatusView } from '../../../../src/adapters/internal/status/work-status.ts';
import type { StopReport } from '../../../../src/core/inside.ts';

const view: StatusView = { name: 'Ada', state: 'running', elapsedMs: 12_900, progress: [] };

function report(rest: Partial<StopReport>): StopReport {
  return { settledMs: 240, operations: [], abandoned: [], ...rest } as StopReport;
}

describe('elapsedText', () => {
  it.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min 0 s'],
    [3_599_999, '59 min 59 s'],
    [3_600_000, '1 h 0 min'],
    [90_000_000, '25 h 0 min'],
  ])('says %i ms as %s', (ms, text) => {
    expect(elapsedText(ms)).toBe(text);
  });
});

describe('statusText', () => {
  it('says what runs, for how long, how far it is and how it is stopped', () => {
    const progress = [
      { label: 'Index', done: 3, total: 10 },
      { label: 'Files', done: 7, total: undefined },
      { label: 'Model', done: undefined, total: 4 },
    ];
    expect(statusText({ ...view, progress }, 'esc to interrupt')).toBe(
      'Ada is working · 12 s · Index 3/10 · Files 7 · Model · esc to interrupt',
    );
  });

  it.each([
    ['interjecting', 'Ada is reading your message · 12 s · Index · esc'],
    ['idle', 'Waiting · 12 s · Index · esc'],
    ['cancelling', 'Stopping Ada · 12 s'],
    ['killing', 'Stopping Ada by force · 12 s'],
  ] as const)('says of the state %s: %s', (state, text) => {
    expect(
      statusText({ ...view, state, progress: [{ label: 'Index', done: undefined, total: undefined }] }, 'esc'),
    ).toBe(text);
  });

  it('lets no name move the cursor', () => {
    expect(statusText({ ...view, name: 'A\x1b[2Jda\n' }, '')).toBe('A\\u001b[2Jda\\n is working · 12 s');
  });
});

describe('stopText', () => {
  it('says how long it took and how much has ended', () => {
    expect(stopText(report({}))).toBe('Stopped in 240 ms. 0 operations have ended.');
    const operations = [{ kind: 'tool', name: 'grep', agent: 'Ada', outcome: 'cancelled', ms: 3 }] as const;
    expect(stopText(report({ settledMs: 1250, operations }))).toBe('Stopped in 1.3 s. 1 operation has ended.');
  });

  it('names what still runs, and does not count it as ended', () => {
    const operations = [{ kind: 'tool', name: 'shell', agent: 'Ada', outcome: 'abandoned', ms: 3 }] as const;
    expect(stopText(report({ operations, abandoned: ['shell', 'a\nb'] }))).toBe(
      'Stopped in 240 ms. 0 operations have ended. Still running: shell, a\\nb.',
    );
  });
});

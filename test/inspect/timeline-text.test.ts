import { expect, it } from 'vitest';

import { timelineText } from '../../src/inspect/index.ts';
import { hostile, row, stopped, traceOf } from './kit.ts';

it('the text has the stop, a line per operation and the survivor', () => {
  expect(timelineText(stopped).split('\n')).toEqual([
    'cancel of main at 500 ms (user: enough): settled after 300 ms, 1 STILL RUNNING',
    'turn 1         ================|=========......  cancelled, asked at 500 ms, ended at 800 ms',
    '  tool search  ================|...............  cancelled, asked at 500 ms, ended at 510 ms',
    '  tool deploy  ================|===============  still running, asked at 500 ms, given up at 700 ms',
  ]);
});

it('no name reaches the terminal as a command', () => {
  const text = timelineText(traceOf([row({ id: 'a', name: `${hostile}\n` })]));
  expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
});

import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { PressRunner } from '../../src/adapters/internal/presses/press-runner.ts';
import { targetOf } from '../../src/adapters/internal/presses/press-target.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { FakeController } from '../adapters/internal/presses/fake-controller.ts';

/** What happens, in order, each a while after the one before. */
const act = fc.record({
  after: fc.constantFrom(0, 1, 100, 399, 400, 401, 500, 501, 1999, 2000, 2001),
  do: fc.constantFrom('escape', 'escape', 'escape', 'repeat', 'interrupt', 'other', 'start', 'end'),
});
type Act = { readonly after: number; readonly do: string };

/** One act with its instant, the state it met, and what the rules did. */
interface Line {
  readonly at: number;
  readonly do: string;
  readonly busy: boolean;
  readonly calls: readonly string[];
}

function play(escape: 'single' | 'double' | 'tiered', acts: readonly Act[]): Line[] {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  const agent = new FakeController();
  const other: string[] = [];
  const rules = new PressRunner(targetOf(agent, undefined), {
    clock,
    escape,
    doubleMs: 500,
    leaveMs: 2000,
    idleEscape: true,
    leave: () => other.push('leave'),
    onLeaveArmed: undefined,
    onEscapeArmed: undefined,
    onIdleDoubleEscape: () => other.push('idle'),
  });
  const lines = acts.map(({ after, do: name }): Line => {
    clock.advanceSync(after);
    agent.calls.length = 0;
    other.length = 0;
    const at = clock.now();
    const busy = agent.state !== 'idle';
    if (name === 'escape' || name === 'repeat') rules.escape(at, name === 'repeat');
    else if (name === 'interrupt') rules.interrupt(at);
    else if (name === 'other') rules.disarm();
    else if (name === 'start' && !busy) agent.become('running');
    else if (name === 'end' && busy) agent.become('idle');
    return { at, do: name, busy, calls: [...agent.calls.map((call) => call.slice(0, -5)), ...other] };
  });
  rules.close();
  expect(clock.pending).toBe(0);
  return lines;
}

/** Told from the whole history, where the machine has but six values. */
function expected(escape: string, lines: readonly Line[]): string[][] {
  let calls = 0; // 0 untouched, 1 cancelled, 2 killed
  let endedAt = -Infinity;
  let pair: number | undefined; // the ESC that may be the first of two
  let leave: number | undefined;
  let leaves: number[] = []; // those since another key
  return lines.map((line): string[] => {
    const { at, busy } = line;
    if (line.do === 'other') [pair, leave, leaves] = [undefined, undefined, []];
    if (line.do === 'start' && !busy) {
      [calls, pair, leave] = [0, undefined, undefined];
    }
    if (line.do === 'end' && busy) [endedAt, pair] = [at, undefined];
    if (line.do === 'interrupt') {
      pair = undefined;
      const third = leaves.at(-2);
      const isSecond = (leave !== undefined && at - leave < 2000) || (third !== undefined && at - third < 2000);
      const before = calls;
      if (busy) calls = isSecond ? 2 : Math.min(2, calls + 1);
      leave = isSecond ? undefined : at;
      leaves = isSecond ? [] : [...leaves, at];
      if (isSecond) return busy ? ['kill', 'leave'] : ['leave'];
      return busy && before < 2 ? [before === 0 ? 'cancel' : 'kill'] : [];
    }
    if (line.do !== 'escape' && line.do !== 'repeat') return [];
    [leave, leaves] = [undefined, []];
    if (!busy && at - endedAt < 400) {
      pair = undefined;
      return [];
    }
    if (line.do === 'repeat') return [];
    const isSecond = pair !== undefined && at - pair <= 500;
    pair = at;
    if (!busy) {
      if (!isSecond) return [];
      pair = undefined;
      return ['idle'];
    }
    if (calls === 2) return [];
    if (calls === 1 && !isSecond && escape !== 'tiered') return [];
    if (calls === 0 && !isSecond && escape === 'double') return [];
    return [++calls === 1 ? 'cancel' : 'kill'];
  });
}

describe('ESC and Ctrl+C', () => {
  test.prop([fc.constantFrom('single', 'double', 'tiered'), fc.array(act, { maxLength: 40 })], { numRuns: 3000 })(
    'P1 P2 P3 P4 P6 a press does what the whole history says, whatever was pressed and whenever a run began and ended',
    (escape, acts) => {
      const lines = play(escape, acts);
      expect(lines.map(({ calls }) => calls)).toEqual(expected(escape, lines));
    },
  );

  test.prop([fc.constantFrom('single', 'double', 'tiered'), fc.array(act, { maxLength: 40 })])(
    'P1 a run is cancelled at most once, and nothing is killed that was not cancelled, but to leave',
    (escape, acts) => {
      let cancelled = 0;
      for (const line of play(escape, acts)) {
        if (line.do === 'start' && !line.busy) cancelled = 0;
        if (line.calls.includes('cancel')) cancelled += 1;
        expect(cancelled).toBeLessThanOrEqual(1);
        if (line.calls.includes('kill') && !line.calls.includes('leave')) expect(cancelled).toBe(1);
      }
    },
  );
});

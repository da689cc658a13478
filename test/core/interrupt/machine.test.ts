import { describe, expect, it } from 'vitest';

import {
  machine,
  transition,
  type Effect,
  type InterruptState,
  type MachineEvent,
} from '../../../src/core/interrupt/machine.ts';

const states = ['idle', 'running', 'interjecting', 'cancelling', 'killing'] as const satisfies InterruptState[];
const events = [
  'start',
  'interject',
  'interject-now',
  'delivered',
  'cancel',
  'kill',
  'end',
] as const satisfies MachineEvent[];

/** How far a turn has been told to stop; nothing but its end goes back. */
const rank: Record<InterruptState, number> = { idle: 0, running: 1, interjecting: 2, cancelling: 3, killing: 4 };

const cells = states.flatMap((from) => events.map((event) => ({ from, event, ...transition(from, event) })));

/** The table as the contract words it: state, event, next state, effects. */
const expected: [InterruptState, MachineEvent, InterruptState, ...Effect[]][] = [
  // Nothing runs: there is nothing to stop, and nobody to deliver a message to.
  ['idle', 'start', 'running'],
  ['idle', 'interject', 'idle', 'refuse'],
  ['idle', 'interject-now', 'idle', 'refuse'],
  ['idle', 'delivered', 'idle'],
  ['idle', 'cancel', 'idle'],
  ['idle', 'kill', 'idle'],
  ['idle', 'end', 'idle'],
  // A turn runs.
  ['running', 'start', 'running'],
  ['running', 'interject', 'interjecting', 'queue'],
  ['running', 'interject-now', 'interjecting', 'queue', 'cut-generation'],
  ['running', 'delivered', 'running'],
  ['running', 'cancel', 'cancelling', 'cancel-turn'],
  ['running', 'kill', 'killing', 'kill-turn'],
  ['running', 'end', 'idle'],
  // A message waits: a stop gives it back.
  ['interjecting', 'start', 'interjecting'],
  ['interjecting', 'interject', 'interjecting', 'queue'],
  ['interjecting', 'interject-now', 'interjecting', 'queue', 'cut-generation'],
  ['interjecting', 'delivered', 'running'],
  ['interjecting', 'cancel', 'cancelling', 'return-queued', 'cancel-turn'],
  ['interjecting', 'kill', 'killing', 'return-queued', 'kill-turn'],
  ['interjecting', 'end', 'idle', 'return-queued'],
  // Told to stop: messages are refused, only force is left.
  ['cancelling', 'start', 'cancelling'],
  ['cancelling', 'interject', 'cancelling', 'refuse'],
  ['cancelling', 'interject-now', 'cancelling', 'refuse'],
  ['cancelling', 'delivered', 'cancelling'],
  ['cancelling', 'cancel', 'cancelling'],
  ['cancelling', 'kill', 'killing', 'kill-turn'],
  ['cancelling', 'end', 'idle'],
  // Told with force: nothing is left to say.
  ['killing', 'start', 'killing'],
  ['killing', 'interject', 'killing', 'refuse'],
  ['killing', 'interject-now', 'killing', 'refuse'],
  ['killing', 'delivered', 'killing'],
  ['killing', 'cancel', 'killing'],
  ['killing', 'kill', 'killing'],
  ['killing', 'end', 'idle'],
];

describe('the table', () => {
  it('has every cell, and no other', () => {
    expect(Object.keys(machine).sort()).toEqual([...states].sort());
    for (const row of Object.values(machine)) expect(Object.keys(row).sort()).toEqual([...events].sort());
    expect(expected.map(([state, event]) => `${state} ${event}`)).toEqual(
      cells.map(({ from, event }) => `${from} ${event}`),
    );
  });

  it.each(expected.map(([from, event, state, ...effects]) => ({ from, event, state, effects })))(
    '$from + $event → $state $effects',
    ({ from, event, state, effects }) => {
      expect(transition(from, event)).toEqual({ state, effects });
    },
  );

  it('is pure: a look changes nothing', () => {
    const before = JSON.stringify(machine);
    for (const { from, event } of cells) expect(transition(from, event)).toBe(transition(from, event));
    expect(JSON.stringify(machine)).toBe(before);
  });
});

describe('upgrade only', () => {
  it('goes back by the end of the turn or the delivery of the message alone', () => {
    for (const { from, event, state } of cells) {
      if (rank[state] >= rank[from]) continue;
      expect(['end', 'delivered'], `${from} ${event}`).toContain(event);
      if (event === 'delivered') expect([from, state]).toEqual(['interjecting', 'running']);
    }
  });

  it('stops a turn at most once on each rung', () => {
    for (const event of ['cancel', 'kill'] as const) {
      let state: InterruptState = 'running';
      const effects: Effect[] = [];
      for (let i = 0; i < 3; i += 1) {
        const cell = transition(state, event);
        state = cell.state;
        effects.push(...cell.effects);
      }
      expect(effects).toHaveLength(1);
    }
  });

  it('takes no message once it was told to stop', () => {
    for (const { from, event, effects } of cells) {
      if (event !== 'interject' && event !== 'interject-now') continue;
      expect(effects.includes('queue')).toBe(from === 'running' || from === 'interjecting');
      expect(effects.includes('refuse')).toBe(!effects.includes('queue'));
    }
  });
});

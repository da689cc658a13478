import { beforeEach, describe, expect, it } from 'vitest';

import { resolveInterruptOptions, type UseInterruptOptions } from '../../../src/adapters/ink/interrupt-options.ts';
import { InterruptStore } from '../../../src/adapters/ink/interrupt-store.ts';
import { press } from '../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { acquireStdin } from '../../../src/adapters/internal/keyboard/stdin-registry.ts';
import type { StdinLease } from '../../../src/adapters/internal/keyboard/stdin-owner.ts';
import { delay, InterruptController } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../internal/keyboard/fake-tty.ts';

let clock: VirtualClock;
let agent: InterruptController;
let lease: StdinLease;
let store: InterruptStore;
let calls: string[];
let changes: number;

function open(options: UseInterruptOptions = {}): () => void {
  const resolved = resolveInterruptOptions({ clock, ...options });
  store = new InterruptStore(agent, lease.owner, resolved, () => ({
    onIdleDoubleEscape: () => calls.push('rewind'),
    onLeave: (code) => calls.push(`leave ${String(code)}`),
  }));
  return store.subscribe(() => changes++);
}

const type = (name: string, ctrl = false): void => {
  lease.owner.keys.dispatch(press(name, { ctrl }), clock.now());
};

const work = (): Promise<unknown> => agent.runTurn(({ token }) => delay(token, 60_000));

beforeEach(() => {
  clock = new VirtualClock({ startAt: 10_000 });
  agent = new InterruptController({ name: 'Ada', clock });
  lease = acquireStdin(new FakeTty(), { clock, escTimeoutMs: 50 }, 'beside');
  calls = [];
  changes = 0;
});

describe('InterruptStore', () => {
  it('shows a turn, its stop by ESC, and what came of it, until the next turn begins', async () => {
    const close = open();
    expect(store.get()).toEqual({ state: 'idle', text: '', line: '', receipt: '', hint: '' });
    const turn = work();
    await clock.advance(3000);
    expect(store.get()).toMatchObject({ state: 'running', text: 'Ada is working · 3 s · esc to interrupt' });
    type('escape');
    await turn;
    await clock.advance(1000);
    expect(store.get()).toEqual({
      state: 'idle',
      text: '',
      line: 'Interrupted. Tell Ada what to do instead.',
      receipt: 'Stopped in 0 ms. 0 operations have ended.',
      hint: '',
    });
    const next = work();
    expect(store.get()).toMatchObject({ line: '', receipt: '' });
    agent.cancel({ kind: 'deadline' });
    await next;
    expect(store.get()).toMatchObject({ line: '' });
    close();
  });

  it('gives the same snapshot until something has changed', async () => {
    const close = open();
    const turn = work();
    await clock.advance(1000);
    const before = store.get();
    const told = changes;
    await clock.advance(999);
    expect(store.get()).toBe(before);
    expect(changes).toBe(told);
    await clock.advance(1);
    expect(store.get()).not.toBe(before);
    expect(changes).toBe(told + 1);
    agent.cancel();
    await turn;
    close();
  });

  it.each([
    [{ escape: 'double' }, 'esc esc to interrupt', 'esc again to interrupt'],
    [{ escape: false }, 'ctrl+c to interrupt', 'ctrl+c to interrupt'],
    [{ escape: false, ctrlC: false }, '', ''],
  ] as const)('says with %j what the next press does', async (options, first, second) => {
    const close = open(options);
    const turn = work();
    expect(store.get().hint).toBe(first);
    type('escape');
    expect(store.get().hint).toBe(second);
    await clock.advance(500);
    expect(store.get().hint).toBe(first);
    agent.cancel();
    await turn;
    close();
  });

  it('rewinds on ESC ESC while nothing runs, and leaves on Ctrl+C twice', () => {
    const close = open({ onIdleDoubleEscape: () => undefined });
    type('escape');
    expect(store.get().hint).toBe('esc again to go back');
    type('escape');
    type('c', true);
    expect(store.get().hint).toBe('ctrl+c again to leave');
    type('c', true);
    expect(calls).toEqual(['rewind', 'leave 130']);
    close();
  });

  it('takes what it says of a stop away with a rewind', async () => {
    const close = open({ onIdleDoubleEscape: () => undefined });
    const turn = work();
    await clock.advance(1000);
    type('escape');
    await turn;
    await clock.advance(1000);
    expect(store.get().receipt).toContain('Stopped in');
    type('escape');
    expect(store.get()).toMatchObject({ hint: 'esc again to go back', receipt: expect.stringContaining('Stopped in') });
    type('escape');
    expect(calls).toEqual(['rewind']);
    expect(store.get()).toMatchObject({ line: '', receipt: '', hint: '' });
    close();
  });

  it('follows nothing before the first subscriber and after the last', async () => {
    const close = open();
    const other = store.subscribe(() => undefined);
    close();
    close();
    const turn = work();
    expect(store.get().state).toBe('running');
    store.progress('Reading', { total: 2 }).update(1);
    expect(store.get().text).toContain('Reading 1/2');
    other();
    type('escape');
    await clock.advance(1000);
    expect(agent.state).toBe('running');
    expect(() => store.progress('Reading')).toThrow('a progress can be shown once the component is mounted');
    agent.cancel();
    await turn;
    expect(clock.pending).toBe(0);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { fromEditorToken, toEditorToken, type EditorToken } from '../../../src/adapters/vscode/index.ts';
import type { Clock } from '../../../src/core/foundation/clock.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeEditor, sharedMemoryToken } from './fake-editor.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

describe('what the editor cancels', () => {
  it('is cancelled here, in the same tick, and nothing is left on the editor’s token', () => {
    const editor = new FakeEditor();
    const stop = fromEditorToken(editor.token, { name: 'chat' });
    expect([stop.token.isCancelled, editor.listeners.size]).toEqual([false, 1]);
    editor.stop();
    expect(stop.token.reason).toMatchObject({ kind: 'unknown', message: 'Cancelled by the editor', source: 'chat' });
    expect(stop.signal).toBe(stop.token.signal);
    expect(stop.signal.aborted).toBe(true);
    expect(editor.listeners.size).toBe(0);
    stop.dispose();
  });

  it.each([
    ['user', { kind: 'user' }],
    [
      { kind: 'superseded', message: 'typed on' },
      { kind: 'superseded', message: 'typed on' },
    ],
  ] as const)('has the reason that was said: %o', (reason, expected) => {
    const editor = new FakeEditor();
    const stop = fromEditorToken(editor.token, { reason });
    editor.stop();
    expect(stop.token.reason).toMatchObject(expected);
  });

  it('is cancelled although the editor throws when it is left, and left when the cancel came within the call', () => {
    const left: string[] = [];
    const listeners: (() => unknown)[] = [];
    const odd = {
      isCancellationRequested: false,
      onCancellationRequested: (listener: () => unknown) => {
        listeners.push(listener);
        return { dispose: () => { throw new Error('disposed already'); } }; // prettier-ignore
      },
    };
    const bridge = fromEditorToken(odd, { reason: 'user' });
    expect(() => listeners[0]?.()).toThrow('disposed already');
    expect(bridge.token.isCancelled).toBe(true);
    const hasty = {
      isCancellationRequested: false,
      onCancellationRequested: (listener: () => unknown) => {
        listener();
        return { dispose: () => left.push('left') };
      },
    };
    expect([fromEditorToken(hasty).token.isCancelled, left]).toEqual([true, ['left']]);
  });

  it('before the call is cancelled at once, and nobody subscribes', () => {
    const editor = new FakeEditor();
    editor.stop();
    const stop = fromEditorToken(editor.token);
    expect(stop.token.isCancelled).toBe(true);
    expect(editor.listeners.size).toBe(0);
  });
});

it.each(['dispose', 'using'])('letting go by %s is not cancelling, and final', (way) => {
  const editor = new FakeEditor();
  const stop = fromEditorToken(editor.token);
  if (way === 'using') stop[Symbol.dispose]();
  else {
    const { dispose } = stop; // as a list of subscriptions calls it
    dispose();
    dispose();
  }
  expect(editor.listeners.size).toBe(0);
  editor.stop();
  expect(stop.token.isCancelled).toBe(false);
});

it('one that was let go does not end with its parent any more', () => {
  const agent = new CancellationTokenSource();
  const stop = fromEditorToken(new FakeEditor().token, { parent: agent.token });
  stop.dispose();
  agent.cancel();
  expect(stop.token.isCancelled).toBe(false);
});

it('ends with its parent too, and keeps that reason', () => {
  const editor = new FakeEditor();
  const agent = new CancellationTokenSource();
  const stop = fromEditorToken(editor.token, { parent: agent.token, reason: 'user' });
  agent.cancel({ kind: 'shutdown' });
  editor.stop();
  expect(stop.token.reason).toBe(agent.reason);
  stop.dispose();
});

it('one of ours comes home with its own reason', () => {
  const agent = new CancellationTokenSource();
  const stop = fromEditorToken(toEditorToken(agent.token), { reason: 'superseded' });
  agent.cancel({ kind: 'budget', message: 'enough' });
  expect(stop.token.reason).toBe(agent.reason);
  stop.dispose();
});

describe('a token over shared memory', () => {
  it('keeps no process alive by being looked at', () => {
    const refs: (boolean | undefined)[] = [];
    const watched: Clock = {
      now: () => clock.now(),
      setTimer(run, ms, options) {
        refs.push(options.ref);
        return clock.setTimer(run, ms, options);
      },
    };
    fromEditorToken(sharedMemoryToken().token, { clock: watched }).dispose();
    expect(refs).toEqual([false]);
  });

  it('is looked at until it is cancelled', async () => {
    const peer = sharedMemoryToken();
    const stop = fromEditorToken(peer.token, { clock, intervalMs: 50 });
    await clock.advance(120);
    expect(stop.token.isCancelled).toBe(false);
    peer.stop();
    await clock.advance(29);
    expect(stop.token.isCancelled).toBe(false);
    await clock.advance(1);
    expect(stop.token.isCancelled).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('every 100 ms unless you say otherwise, and no longer than the bridge lives', async () => {
    const peer = sharedMemoryToken();
    const stop = fromEditorToken(peer.token, { clock });
    expect(clock.nextAt).toBe(clock.now() + 100);
    await clock.advance(100);
    stop.dispose();
    expect(clock.pending).toBe(0);
    peer.stop();
    await clock.advance(1000);
    expect(stop.token.isCancelled).toBe(false);
  });
});

it.each([
  [undefined, {}, "editorToken must be an editor's CancellationToken, got undefined"],
  [new AbortController().signal, {}, "editorToken must be an editor's CancellationToken"],
  [{ isCancellationRequested: 'no', onCancellationRequested: 1 }, {}, "editorToken must be an editor's"],
  [new FakeEditor().token, { intervalMs: -1 }, 'intervalMs must be a finite number of milliseconds'],
  [new FakeEditor().token, { reason: { kind: 'boredom' } }, 'boredom'],
  [new FakeEditor().token, { parent: 7 }, 'a token must be'],
])('refuses %o %o', (editorToken, options, message) => {
  expect(() => fromEditorToken(editorToken as EditorToken, options as never)).toThrow(message);
});

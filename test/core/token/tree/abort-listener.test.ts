import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { CancellationToken, withCancellation, delay } from '../../../../src/index.ts';
import { addAbortListener, removeAbortListener } from '../../../../src/core/token/tree/abort-listener.ts';

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** A signal whose first listener keeps the event from all others. */
function silenced(): AbortController {
  const controller = new AbortController();
  controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
  return controller;
}

describe('a listener on a foreign signal', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  it('a listener on a foreign signal hears of the abort although another one stopped the event', async () => {
    const controller = silenced();
    const { signal } = controller;
    let heard = 0;
    CancellationToken.from(signal).onCancelled(() => (heard += 1));
    const waiting = withCancellation(signal, ({ token }) => delay(token, 60_000));
    controller.abort();
    expect(heard).toBe(1);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(count(signal)).toBe(1); // the one that stopped the event
  });

  it('a listener on a foreign signal survives events that only bear the name, one after the other', () => {
    const controller = silenced();
    let heard = 0;
    CancellationToken.from(controller.signal).onCancelled(() => (heard += 1));
    for (let i = 0; i < 3; i += 1) controller.signal.dispatchEvent(new Event('abort'));
    expect([heard, count(controller.signal)]).toEqual([0, 2]);
    controller.abort();
    expect(heard).toBe(1);
  });

  it('a listener on a foreign signal can be removed, twice too, and is not called then', () => {
    const controller = new AbortController();
    const listener = vi.fn();
    addAbortListener(controller.signal, listener);
    expect(count(controller.signal)).toBe(1);
    removeAbortListener(controller.signal, listener);
    removeAbortListener(controller.signal, listener);
    expect(count(controller.signal)).toBe(0);
    controller.abort();
    addAbortListener(controller.signal, listener);
    expect(listener).not.toHaveBeenCalled();
  });

  it('a listener on a foreign signal is an ordinary one where the platform has no other', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    vi.resetModules();
    const copy = await import('../../../../src/core/token/tree/abort-listener.ts');
    const controller = new AbortController();
    const listener = vi.fn();
    copy.addAbortListener(controller.signal, listener);
    controller.abort();
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

import { afterEach, expect, it, vi } from 'vitest';
import { withEditorToken, type EditorToken } from '../../../src/adapters/vscode/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

it('returns what came, and lets go of the token', async () => {
  const stop = new CancellationTokenSource({ clock });
  let kept: EditorToken | undefined;
  const value = await withEditorToken(stop.token, (editorToken, { signal }) => {
    kept = editorToken;
    return signal.aborted ? 'late' : 'in time';
  });
  stop.cancel();
  expect([value, kept?.isCancellationRequested]).toEqual(['in time', false]);
});

it('a cancel reaches the editor’s token, and the call rejects with ours', async () => {
  const stop = new CancellationTokenSource({ clock });
  const call = withEditorToken(
    stop.token,
    (editorToken) =>
      new Promise((_resolve, reject) => {
        editorToken.onCancellationRequested(() => {
          reject(Object.assign(new Error('Request cancelled'), { code: -32_800 }));
        });
      }),
  );
  stop.cancel('user');
  await expect(call).rejects.toBe(stop.signal.reason);
});

it('a peer that ignores the cancel is left behind after the grace, and heard of later', async () => {
  const stop = new CancellationTokenSource({ clock });
  const reply = deferred<string>();
  const onLateSettle = vi.fn();
  let kept: EditorToken | undefined;
  const send = (editorToken: EditorToken): Promise<string> => {
    kept = editorToken;
    return reply.promise;
  };
  const call = withEditorToken(stop.token, send, { graceMs: 30, onLateSettle });
  const outcome = expect(call).rejects.toMatchObject({
    reason: { kind: 'user' },
    abandoned: { name: 'editor request' },
  });
  stop.cancel('user');
  await clock.advance(30);
  await outcome;
  expect(kept?.isCancellationRequested).toBe(true);
  reply.resolve('late');
  await clock.advance(0);
  expect(onLateSettle).toHaveBeenCalledExactlyOnceWith({ status: 'completed', value: 'late' });
});

it('after the cancel nothing is sent', async () => {
  const stop = new CancellationTokenSource({ clock });
  stop.cancel('user');
  const send = vi.fn();
  await expect(withEditorToken(stop.token, send)).rejects.toMatchObject({ name: 'AbortError' });
  expect(send).not.toHaveBeenCalled();
});

it('a limit of the call is the error of whoever set it', async () => {
  const call = withEditorToken(
    undefined,
    (editorToken) => new Promise<never>((_, reject) => editorToken.onCancellationRequested(reject)),
    { timeoutMs: 40, clock },
  );
  const outcome = expect(call).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 40 });
  await clock.advance(40);
  await outcome;
});

it('refuses what cannot send', async () => {
  await expect(withEditorToken(undefined, 'x' as never)).rejects.toThrow('send must be a function, got "x"');
});

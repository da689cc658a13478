import { expect, it } from 'vitest';

import { neutralReason, wireSignal } from '../../../../src/core/token/bridge/wire-signal.ts';
import { CancellationTokenSource } from '../../../../src/core/token/cancellation-token-source.ts';

it('a neutral reason says the same whichever way it is written down, and is taken for an abort', () => {
  const reason = neutralReason();
  expect([String(reason), reason.message, reason.name]).toEqual([
    'Request cancelled',
    'Request cancelled',
    'AbortError',
  ]);
  expect(JSON.stringify(reason)).toBe('{"name":"AbortError"}');
});

it('a wire signal ends with the token, without a word of its reason', () => {
  const person = new CancellationTokenSource();
  const signal = wireSignal(person.token);
  expect(signal.aborted).toBe(false);
  person.cancel({ kind: 'user', message: 'the secret plan changed' });
  expect(signal.aborted).toBe(true);
  expect(String(signal.reason)).toBe('Request cancelled');
  expect(signal).not.toBe(person.signal);
});

it('a wire signal is aborted already under a cancelled token, and never after the release', () => {
  const stopped = new CancellationTokenSource();
  stopped.cancel();
  expect(wireSignal(stopped.token).aborted).toBe(true);

  const finished = new CancellationTokenSource();
  const signal = wireSignal(finished.token);
  finished.release();
  finished.cancel();
  expect(signal.aborted).toBe(false);
});

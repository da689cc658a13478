import { expect, it } from 'vitest';

import { callRemote, DEFAULT_NAME_MS } from '../../../../src/adapters/internal/remote-work/call-remote.ts';
import { CancellationTokenSource } from '../../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const never = new Promise<never>(() => undefined);
const options = {
  cancel: () => never,
  until: 'answer',
  endOf: () => undefined,
  nameMs: DEFAULT_NAME_MS,
  name: 'task',
} as const;

it('names deaf work with its id, also where it was a limit of the call that passed', async () => {
  const clock = new VirtualClock();
  const person = new CancellationTokenSource({ clock });
  const call = callRemote(
    person.token,
    ({ named }) => {
      named('t1');
      return never;
    },
    options,
    { timeoutMs: 100, graceMs: 50 },
  );
  const outcome = expect(call).rejects.toMatchObject({
    name: 'TimeoutError',
    limitMs: 100,
    abandoned: { name: 'task t1' },
  });
  await clock.advance(150);
  await outcome;
  expect(clock.pending).toBe(0);
});

it('leaves every other error as it is', async () => {
  const failure = new Error('no such task');
  await expect(callRemote(undefined, () => Promise.reject(failure), options, {})).rejects.toBe(failure);
});

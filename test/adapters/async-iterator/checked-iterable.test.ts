import { expect, it } from 'vitest';
import { CheckedIterable } from '../../../src/adapters/async-iterator/checked-iterable.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

it('hands on the very promise of the source, once it is open', async () => {
  const answers: Promise<IteratorResult<number>>[] = [];
  const next = () => {
    const answer = Promise.resolve({ done: false as const, value: answers.length });
    answers.push(answer);
    return answer;
  };
  const stop = new CancellationTokenSource();
  const openable = { open: () => ({ next }), discard: () => undefined };
  const cuts: string[] = [];
  const tell = ({ kind }: { kind: string }) => cuts.push(kind);
  const iterable = new CheckedIterable(tokenOf(stop.token), openable, { graceMs: 0, tell });
  await iterable.next();
  expect(iterable.next()).toBe(answers[1]);
  stop.cancel('user');
  await expect(iterable.next()).rejects.toBe(stop.signal.reason);
  expect([answers.length, cuts]).toEqual([2, ['user']]);
  await iterable.return();
  await expect(iterable.closed).resolves.toEqual({ status: 'cancelled' });
});

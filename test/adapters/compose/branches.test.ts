import { describe, expect, it } from 'vitest';

import { Branches, requireWorks } from '../../../src/adapters/compose/branches.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  withCancellation,
  type CancelledError,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, obedient, turn } from './observe.ts';

it('tells the library a stop by its name, and a failure whatever it is called', async () => {
  const source = new CancellationTokenSource();
  const branches = new Branches(tokenOf(source.token), {});
  const stopped = branches.start(obedient, 'stopped').told;
  const aborted = branches.start(() => Promise.reject(new DOMException('not ours', 'AbortError')), 'aborted').told;
  const failed = branches.start(() => Promise.reject(new Error('second')), 'failed').told;
  expect(await errorOf(aborted)).toHaveProperty('name', 'Error');
  expect(await errorOf(stopped)).toHaveProperty('name', 'AbortError');
  // Not the cause: for the library it is a branch that stopped.
  expect(await errorOf(failed)).toHaveProperty('name', 'AbortError');
});

it('a listener hears the outcome and its error, and then no late value is reported', async () => {
  const late: unknown[] = [];
  const heard: unknown[] = [];
  const branches = new Branches(tokenOf(null), { onLateSettle: (outcome) => late.push(outcome) });
  const answer = deferred<number>();
  const { told } = branches.start(
    () => answer.promise,
    'slow',
    undefined,
    (outcome, error) => heard.push([outcome, error]),
  );
  expect(branches.fail(new Error('elsewhere'))).toBe(true);
  expect(branches.fail(new Error('again'))).toBe(false);
  answer.resolve(7);
  expect(await told).toBe(7);
  expect(heard).toEqual([[{ status: 'completed', value: 7 }, undefined]]);
  expect(late).toEqual([]);
});

it('starts nothing under a cancelled token', () => {
  expect(() => new Branches(tokenOf(CancellationToken.alreadyCancelled()), {})).toThrow('Cancelled');
});

it('is released when the last branch has ended, the one that was left behind included', async () => {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  const branches = new Branches(tokenOf(source.token), { graceMs: 50 });
  const answer = deferred();
  const { told } = branches.start(() => answer.promise, 'slow');
  const end = errorOf(branches.settle(() => told));
  source.cancel('user');
  await clock.advance(50);
  await end;
  source.kill();
  expect(branches.token.isKilled).toBe(true);

  const other = new CancellationTokenSource();
  const ended = new Branches(tokenOf(other.token), {});
  await ended.settle(() => ended.start(() => 7, 'quick').told);
  other.cancel('user');
  expect(ended.token.isCancelled).toBe(false);
  answer.resolve();
  await turn();
});

it('an error of the library itself is not hidden', async () => {
  const branches = new Branches(tokenOf(null), {});
  expect(await errorOf(branches.settle(() => Promise.reject(new Error('a defect'))))).toEqual(new Error('a defect'));
});

it('what one cancel stopped shares its one error', async () => {
  const source = new CancellationTokenSource();
  const branches = new Branches(tokenOf(source.token), {});
  const errors = [obedient, obedient].map((work, n) => errorOf(branches.start(work, `work ${n}`).told));
  source.cancel('user');
  expect(await Promise.all(errors)).toEqual([source.signal.reason, source.signal.reason]);
});

it('requireWorks lets through functions and nothing else', () => {
  const works = [() => 1, () => 2];
  expect(requireWorks(works)).toBe(works);
  expect(() => requireWorks({ length: 0 })).toThrow(TypeError);
  expect(() => requireWorks([() => 1, undefined])).toThrow(/^works\[1\] must be a function, got undefined$/);
});

describe('the grace of a branch', () => {
  /** A branch that obeys, above one leaf that does not. */
  async function stopped(graceMs: number | undefined): Promise<unknown> {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const abandoned: unknown[] = [];
    const branches = new Branches(tokenOf(source.token), {
      graceMs,
      onSuppressed: (error) => abandoned.push((error as CancelledError).abandoned?.name),
    });
    const { told } = branches.start(({ token }) => withCancellation(token, deaf, { name: 'leaf' }), 'branch');
    const end = errorOf(branches.settle(() => told));
    source.cancel('user');
    await clock.advance(5_000);
    await end;
    return abandoned;
  }

  it('the grace of a branch that was given none waits for what stops inside it', async () => {
    expect(await stopped(undefined)).toEqual([]);
  });

  it('the grace of a branch that was given one is kept to the letter', async () => {
    expect(await stopped(1_000)).toEqual(['branch']);
  });
});

/**
 * What the compiler says of `desist/compose`: results are inferred, contexts are typed, nonsense is refused.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

import { expectTypeOf, it } from 'vitest';

import { all, execute, race, spawn, waitForEvent, type ComposeOptions } from '../../src/adapters/compose/index.ts';
import type { EmitterLike } from '../../src/adapters/internal/stream/event-target.ts';
import type { SpawnTask } from '../../src/adapters/compose/spawn.ts';
import type { CancelContext, CancelReason, CancellationToken, ScopeOptions, TokenLike } from '../../src/index.ts';

declare const token: CancellationToken;
declare const maybe: TokenLike | null | undefined;

it('all gives a tuple, race a union, and both type the context', () => {
  const both = all(token, [() => 7, async ({ token, signal }) => [token.isCancelled, signal.aborted] as const]);
  expectTypeOf(both).toEqualTypeOf<Promise<[number, readonly [boolean, boolean]]>>();
  expectTypeOf(all(maybe, [])).toEqualTypeOf<Promise<[]>>();
  const works: ((context: CancelContext) => Promise<string>)[] = [];
  expectTypeOf(all(maybe, works)).toEqualTypeOf<Promise<string[]>>();
  expectTypeOf(race(maybe, works, { timeoutMs: undefined })).toEqualTypeOf<Promise<string>>();
  expectTypeOf(race(token, [() => 7, async () => 'seven'])).toEqualTypeOf<Promise<number | string>>();
});

it('spawn infers the body and its forks', () => {
  const result = spawn(maybe, async ({ token, signal, fork, defer }) => {
    expectTypeOf(token).toEqualTypeOf<CancellationToken>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    const task = fork(async ({ commit }) => commit(() => 7), { name: 'seven' });
    expectTypeOf(task).toEqualTypeOf<SpawnTask<number>>();
    defer((graceToken) => graceToken.isCancelled);
    task.cancel({ kind: 'budget' });
    return String(await task.join());
  });
  expectTypeOf(result).toEqualTypeOf<Promise<string>>();
});

it('execute types its executor, which may return nothing', () => {
  const promise = execute<number>(maybe, (resolve, reject, context) => {
    expectTypeOf(context).toEqualTypeOf<CancelContext>();
    resolve(7);
    resolve(Promise.resolve(7));
    reject('anything');
    // @ts-expect-error not what was promised
    resolve('seven');
    return (reason) => {
      expectTypeOf(reason).toEqualTypeOf<CancelReason>();
    };
  });
  expectTypeOf(promise).toEqualTypeOf<Promise<number>>();
  void execute<number>(maybe, () => {}, { graceMs: 5, idleMs: undefined });
});

it('waitForEvent takes every usual emitter', () => {
  expectTypeOf<EventTarget>().toExtend<EmitterLike>();
  expectTypeOf<AbortSignal>().toExtend<EmitterLike>();
  expectTypeOf<WebSocket>().toExtend<EmitterLike>();
  expectTypeOf<EventEmitter>().toExtend<EmitterLike>();
  expectTypeOf<EventEmitter<{ data: [string] }>>().toExtend<EmitterLike>();
  expectTypeOf<Socket>().toExtend<EmitterLike>();
  expectTypeOf<NodeJS.Process>().toExtend<EmitterLike>();
  expectTypeOf(waitForEvent(maybe, new EventEmitter(), 'x')).toEqualTypeOf<Promise<unknown>>();
  const chosen = waitForEvent<MessageEvent>(maybe, new EventTarget(), { event: 'message', timeoutMs: undefined });
  expectTypeOf(chosen).toEqualTypeOf<Promise<MessageEvent>>();
  void waitForEvent(maybe, new EventEmitter(), Symbol('x'));
});

it('the types of compose refuse what cannot work', () => {
  // @ts-expect-error a promise has already started
  void all(token, [Promise.resolve(7)]);
  // @ts-expect-error an AbortController is no token
  void race(new AbortController(), [() => 7]);
  // @ts-expect-error no emitter
  void waitForEvent(token, { emit: () => {} }, 'x');
  // @ts-expect-error options need the event's name
  void waitForEvent(token, new EventEmitter(), { timeoutMs: 5 });
  // @ts-expect-error an undo is a function
  void execute(token, () => 7);
  // @ts-expect-error not an option
  void spawn(token, () => 7, { settle: 'wait' });
  expectTypeOf<ScopeOptions>().toExtend<ComposeOptions>();
});

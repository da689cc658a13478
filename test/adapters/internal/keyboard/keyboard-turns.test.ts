import { describe, expect, it } from 'vitest';

import { CancelledError } from '../../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../../src/core/token/cancellation-token-source.ts';
import { KeyboardTurns } from '../../../../src/adapters/internal/keyboard/keyboard-turns.ts';
import { deferred } from '../../../../src/testing/fakes.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the turns of a keyboard', () => {
  it('O1 come one after the other, in the order they were asked for, also after one that failed', async () => {
    const turns = new KeyboardTurns();
    const seen: number[] = [];
    const first = deferred();
    const all = [0, 1, 2].map((n) =>
      turns.run(async () => {
        seen.push(n);
        await first.promise;
        if (n === 1) throw new Error('closed');
      }),
    );
    await tick();
    expect(seen).toEqual([0]);
    first.resolve();
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual([0, 1, 2]);
  });

  it('O2 go to what is opened inside an open one, there too one after the other', async () => {
    const turns = new KeyboardTurns();
    const seen: string[] = [];
    await turns.run(async () => {
      const inner = deferred();
      const both = ['a', 'b'].map((name) =>
        turns.run(() => {
          seen.push(name);
          return inner.promise;
        }),
      );
      await tick();
      expect(seen).toEqual(['a']);
      inner.resolve();
      await Promise.all(both);
    });
    expect(seen).toEqual(['a', 'b']);
  });

  it('O2 of work that outlives the one that started it are waited for like those of anybody', async () => {
    const turns = new KeyboardTurns();
    const [over, next] = [deferred(), deferred()];
    let seen = false;
    let late: Promise<void> | undefined;
    await turns.run(() => {
      late = over.promise.then(() => turns.run(() => void (seen = true)));
    });
    const second = turns.run(() => next.promise);
    over.resolve();
    await tick();
    expect(seen).toBe(false);
    next.resolve();
    await second;
    await late;
    expect(seen).toBe(true);
  });

  it('O4 pass by who was cancelled while it waited, and come back from who was cancelled as it was given them', async () => {
    const turns = new KeyboardTurns();
    const [first, source] = [deferred(), new CancellationTokenSource()];
    const seen: string[] = [];
    const open = turns.run(() => first.promise);
    const left = turns.run(() => seen.push('left'), source.token);
    const next = turns.run(() => seen.push('next'));
    source.cancel('user');
    await expect(left).rejects.toThrow(CancelledError);
    const late = new CancellationTokenSource();
    const given = turns.run(() => {
      seen.push('given');
      late.token.throwIfCancelled();
    }, late.token);
    const last = turns.run(() => seen.push('last'));
    first.resolve();
    await open;
    await next;
    late.cancel('user'); // between its turn and its run
    await expect(given).rejects.toThrow(CancelledError);
    await last;
    expect(seen).toEqual(['next', 'given', 'last']);
  });

  it('O3 are given at once where nobody has the keyboard', async () => {
    const turns = new KeyboardTurns();
    let seen = 0;
    const run = (): Promise<void> => turns.run(() => void seen++);
    const first = run();
    expect(seen).toBe(1);
    await first;
    const second = run();
    expect(seen).toBe(2);
    await second;
  });

  it('O2 are not handed on while what was opened inside is open, though nobody awaits it', async () => {
    const turns = new KeyboardTurns();
    const seen: string[] = [];
    const inner = deferred();
    let left: Promise<void> | undefined;
    await turns.run(() => {
      left = turns.run(() => inner.promise);
    });
    const next = turns.run(() => void seen.push('next'));
    await tick();
    expect(seen).toEqual([]);
    inner.resolve();
    await Promise.all([left, next]);
    expect(seen).toEqual(['next']);
    await turns.run(() => void seen.push('and on'));
    expect(seen).toEqual(['next', 'and on']);
  });

  it('O5 are taken at once by a program, also from one that has the keyboard, who then hands it on as before', async () => {
    const turns = new KeyboardTurns();
    const seen: string[] = [];
    const prompt = deferred();
    const open = turns.run(() => prompt.promise);
    const program = turns.occupy();
    const next = turns.run(() => void seen.push('next'));
    program.release();
    await tick();
    expect(seen).toEqual([]); // the prompt still has it
    prompt.resolve();
    await Promise.all([open, next]);
    expect(seen).toEqual(['next']);
    const alone = turns.occupy();
    const last = turns.run(() => void seen.push('last'));
    await tick();
    expect(seen).toEqual(['next']);
    alone.release();
    await last;
    expect(seen).toEqual(['next', 'last']);
  });
});

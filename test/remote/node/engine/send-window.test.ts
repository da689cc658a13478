import { describe, expect, it } from 'vitest';

import { NotWantedError, SendWindow, type SendOptions } from '../../../../src/remote/node/engine/send-window.ts';
import { deferred, type Deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

/** Operations that the test answers. */
function stage(most?: number) {
  const clock = new VirtualClock();
  const window = new SendWindow({ now: () => clock.now(), briefMs: 100, most });
  const sent: { readonly name: number; readonly answer: Deferred<number> }[] = [];
  const ask = (name: number, options?: SendOptions): Promise<number | string> =>
    window
      .run((timed) => {
        const answer = deferred<number>();
        sent.push({ name, answer });
        return timed(() => answer.promise);
      }, options)
      .catch((error: unknown) => String(error));
  const askMany = (count: number): readonly Promise<number | string>[] =>
    Array.from({ length: count }, (_, n) => ask(n));
  /** Answers everything that is under way, after some time. */
  const round = async (ms: number): Promise<number> => {
    const open = sent.splice(0);
    await clock.advance(ms);
    for (const { name, answer } of open) answer.resolve(name);
    await clock.advance(0);
    return open.length;
  };
  return { clock, window, sent, ask, askMany, round };
}

describe('a window', () => {
  it('a window sends what it has room for, and each further one when one was answered, in their order', async () => {
    const { clock, sent, askMany } = stage(4);
    const results = askMany(7);
    expect(sent.map(({ name }) => name)).toEqual([0, 1, 2, 3]);
    sent[2]!.answer.resolve(2);
    sent[1]!.answer.reject(new Error('refused'));
    expect([await results[2], await results[1]]).toEqual([2, 'Error: refused']);
    await clock.advance(0);
    expect(sent.slice(4).map(({ name }) => name)).toEqual([4, 5]);
  });

  it('a window gives no place back for what nobody waits for any more, as long as the engine is at it', async () => {
    const { clock, window, sent, ask } = stage(1);
    const stuck = deferred<number>();
    const given = window.run((timed) => Promise.race([timed(() => stuck.promise), Promise.reject(new Error('late'))]));
    await expect(given).rejects.toThrow('late');
    const next = ask(1);
    await clock.advance(1_000);
    expect(sent).toEqual([]);
    stuck.resolve(0);
    await clock.advance(0);
    sent[0]!.answer.resolve(7);
    expect(await next).toBe(7);
  });

  it('a window counts what is on a socket that was given up no more, and not twice when it settles late', async () => {
    const { clock, window, sent, askMany } = stage(2);
    void askMany(6);
    window.giveUp();
    expect(sent.map(({ name }) => name)).toEqual([0, 1, 2, 3]);
    for (const { answer } of sent.slice(0, 2)) answer.reject(new Error('closed'));
    await clock.advance(0);
    expect(sent).toHaveLength(4);
  });

  it('a window takes what belongs together as one', async () => {
    const { clock, window, sent, ask } = stage(1);
    const [first, second] = [deferred<number>(), deferred<number>()];
    const pair = window.run(async (timed) => (await timed(() => first.promise)) + (await timed(() => second.promise)));
    void ask(9);
    first.resolve(1);
    await clock.advance(0);
    expect(sent).toEqual([]);
    second.resolve(2);
    expect(await pair).toBe(3);
    await clock.advance(0);
    expect(sent.map(({ name }) => name)).toEqual([9]);
  });

  it('a window sends what is urgent first, and what nobody wants any more not at all', async () => {
    const { sent, ask, round } = stage(1);
    const asked = [ask(0), ask(1), ask(2, { isUrgent: true }), ask(3, { isWanted: () => false }), ask(4)];
    const order: number[] = [];
    while (sent.length > 0) {
      order.push(...sent.map(({ name }) => name));
      await round(1);
    }
    expect(order).toEqual([0, 2, 1, 4]);
    expect(await asked[3]).toBe(String(new NotWantedError()));
  });

  it('a window refuses at once what waits behind an engine that does not answer, and sends again later', async () => {
    const { window, sent, ask, askMany, round } = stage(2);
    const results = askMany(4);
    window.refuseWaiting(new Error('late'));
    expect(await Promise.all(results.slice(2))).toEqual(['Error: late', 'Error: late']);
    expect(window.waiting).toBe(0);
    await round(0);
    const next = ask(5);
    sent[0]!.answer.resolve(5);
    expect(await next).toBe(5);
  });

  it('a window grows as long as answers are brief, up to what the engine takes', async () => {
    const { window, askMany, round } = stage(300);
    void askMany(2_000);
    expect([await round(20), await round(20), await round(20), await round(20)]).toEqual([64, 128, 256, 300]);
    expect(window.size).toBe(300);
  });

  it('a window shrinks where answers take long, to one if it must, and grows again one by one', async () => {
    const { window, askMany, round } = stage();
    void askMany(20_000);
    await round(20);
    expect(window.size).toBe(128);
    const sizes: number[] = [];
    for (let n = 0; n < 7; n++) {
      await round(5_000);
      sizes.push(window.size);
    }
    expect(sizes).toEqual([64, 32, 16, 8, 4, 2, 1]);
    for (let n = 0; n < 4; n++) sizes.push((await round(20), window.size));
    expect(sizes.slice(7)).toEqual([2, 2, 3, 4]);
  });

  it('a window stays open to an engine that is far away and takes everything at once', async () => {
    const { window, askMany, round } = stage();
    void askMany(5_000);
    for (let n = 0; n < 8; n++) await round(900);
    expect(window.size).toBe(1_000);
  });

  it('a window learns that the line has become a longer one', async () => {
    const { window, askMany, round } = stage();
    void askMany(2_000);
    await round(1);
    for (let n = 0; n < 20; n++) await round(150);
    expect(window.size).toBeGreaterThan(5);
  });

  it('a window sends a hundred thousand in linear time', async () => {
    const window = new SendWindow({ now: () => 0, briefMs: 100 });
    let sum = 0;
    await Promise.all(
      Array.from({ length: 100_000 }, () => window.run((timed) => timed(() => Promise.resolve(sum++)))),
    );
    expect(sum).toBe(100_000);
  });
});

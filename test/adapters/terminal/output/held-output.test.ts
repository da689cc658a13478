import { describe, expect, it } from 'vitest';

import { HeldOutput } from '../../../../src/adapters/terminal/output/held-output.ts';

const [a, b] = [{}, {}];

function setUp(limit = 10): {
  held: HeldOutput;
  shown: string[];
  answered: string[];
  add: (s: object, t: string) => void;
  ends: Set<() => void>;
} {
  const shown: string[] = [];
  const answered: string[] = [];
  const ends = new Set<() => void>();
  const held = new HeldOutput(
    limit,
    (_source, text) => {
      shown.push(text);
      return true;
    },
    (fn) => {
      ends.add(fn);
      return { release: () => ends.delete(fn) };
    },
  );
  const add = (source: object, text: string): void => {
    held.add({ source, text, done: () => answered.push(text) });
  };
  return { held, shown, answered, add, ends };
}

describe('HeldOutput', () => {
  it('passes on at once, and after a stop in the order of the writes', () => {
    const { held, shown, add } = setUp();
    add(a, '1');
    expect(shown).toEqual(['1']);
    held.stop();
    add(a, '2');
    add(b, '3');
    add(a, '4');
    expect(shown).toEqual(['1']);
    held.resume();
    expect(shown.join('')).toBe('1234');
    expect(held.size).toBe(0);
  });

  it('waits for everybody who stopped it', () => {
    const { held, shown, add } = setUp();
    held.stop();
    held.stop();
    add(a, '1');
    held.resume();
    expect(shown).toEqual([]);
    held.resume();
    expect(shown).toEqual(['1']);
  });

  it('lets writers wait beyond the limit', () => {
    const { held, answered, add } = setUp(3);
    held.stop();
    add(a, '123');
    add(a, '4');
    expect(answered).toEqual(['123']);
    held.resume();
    expect(answered).toEqual(['123', '4']);
  });

  it('drops what one stream wrote, and answers its writers', () => {
    const { held, shown, answered, add } = setUp(1);
    held.stop();
    add(a, '11');
    add(b, '22');
    held.drop(a);
    expect(answered).toEqual(['11']);
    held.resume();
    expect(shown).toEqual(['22']);
    expect(held.size).toBe(0);
  });

  it('stops when the screen asks to be waited for', () => {
    let goesOn = false;
    const shown: string[] = [];
    const held = new HeldOutput(
      100,
      (_source, text) => {
        shown.push(text);
        return goesOn;
      },
      () => ({ release: () => undefined }),
    );
    held.add({ source: a, text: '1', done: () => undefined });
    held.add({ source: a, text: '2', done: () => undefined });
    expect(shown).toEqual(['1']);
    goesOn = true;
    held.resume();
    expect(shown).toEqual(['1', '2']);
  });

  it('lets the event loop turn while it passes on much', async () => {
    const { held, shown, add } = setUp(10_000_000);
    add(a, 'x'.repeat(1_000_000));
    add(b, 'y');
    expect(shown.join('').length).toBeLessThan(200_000);
    while (held.size > 0) await new Promise(setImmediate);
    expect(shown.join('')).toBe(`${'x'.repeat(1_000_000)}y`);
  });

  it('takes time in proportion to the number of writes held', () => {
    const time = (count: number): number => {
      const { held, add } = setUp(count);
      held.stop();
      const from = process.cpuUsage(); // what other programs take meanwhile is not counted
      for (let at = 0; at < count; at++) add(at % 2 === 0 ? a : b, 'x');
      held.resume();
      return process.cpuUsage(from).user / 1000;
    };
    time(10_000);
    const best = Math.min(...Array.from({ length: 5 }, () => time(80_000)));
    expect(best).toBeLessThan(40 * Math.max(1, time(10_000)));
  });

  it('passes on what waits for its turn when the process ends, and not what is held', async () => {
    const { held, shown, add, ends } = setUp(100_000);
    add(a, 'x'.repeat(20_000));
    expect([shown.join('').length, ends.size]).toEqual([8192, 1]);
    for (const end of ends) end();
    expect([shown.join('').length, ends.size]).toEqual([20_000, 0]);
    add(a, 'y'.repeat(20_000));
    held.stop();
    for (const end of ends) end();
    expect(shown.join('').length).toBe(28_192);
    held.resume();
    while (held.size > 0) await new Promise(setImmediate);
    expect([shown.join('').length, ends.size]).toEqual([40_000, 0]);
  });
});

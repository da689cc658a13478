import { expect, it } from 'vitest';
import { pause, tooLate, waitUntil } from '../../src/testing/waiting.ts';

it('waitUntil() asks until it is so, also where the answer is a promise', async () => {
  let asked = 0;
  await waitUntil('three', () => ++asked === 3, 10_000);
  await waitUntil('five', () => Promise.resolve(++asked === 5), 10_000);
  expect(asked).toBe(5);
});

it('waitUntil() gives up after its limit, and says what it has waited for', async () => {
  await expect(waitUntil('pigs fly', () => false, 0)).rejects.toThrow('waited 0 ms until pigs fly');
  expect(tooLate('pigs fly', 5).message).toBe('waited 5 ms until pigs fly');
});

it('waitUntil() passes on the error of what it asks', async () => {
  await expect(waitUntil('x', () => Promise.reject(new Error('no such file')), 1_000)).rejects.toThrow('no such file');
});

it('waitUntil() asks what is dear to ask no more than a quarter of the time', async () => {
  let [asked, spent] = [0, 0];
  const began = performance.now();
  await waitUntil(
    'ten',
    () => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      spent += performance.now() - until + 5;
      return Promise.resolve(++asked === 10);
    },
    60_000,
  );
  expect((performance.now() - began) / spent).toBeGreaterThan(3);
});

it('pause() lets what is due before it happen', async () => {
  const order: string[] = [];
  setTimeout(() => order.push('first'), 0);
  await pause(1);
  expect(order).toEqual(['first']);
});

import { describe, expect, it } from 'vitest';

import { memoryBackend } from '../../../../src/remote/index.ts';
import { closeConnection } from '../../../../src/remote/node/engine/close-connection.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const events = { wake: () => undefined, resync: () => undefined, down: () => undefined };

/** A connection whose release ends as `release` does. */
async function closing(release: () => Promise<void>, ms: number) {
  const closes: boolean[] = [];
  const real = await memoryBackend({ clock }).connect('n', events);
  const close = (isRelease: boolean) => {
    closes.push(isRelease);
    return isRelease ? release() : Promise.reject(new Error('away'));
  };
  const connection = Object.assign(real, { close });
  return { closes, done: closeConnection(connection, clock, ms) };
}

describe('the end of a connection', () => {
  it.each([
    ['gives its lease back', () => Promise.resolve()],
    ['cannot', () => Promise.reject(new Error('away'))],
    [
      'is over already',
      () => {
        throw new Error('the client is closed');
      },
    ],
  ])('the end of a connection that %s waits for that alone', async (_, release) => {
    const { closes, done } = await closing(release, 1_000);
    await done;
    expect([closes, clock.pending]).toEqual([[true], 0]);
  });

  it.each([0, 1_000])('the end of a connection to an engine that is silent comes after %i ms', async (ms) => {
    const { closes, done } = await closing(() => new Promise(() => undefined), ms);
    await clock.advance(Math.max(0, ms - 1));
    if (ms > 0) expect(closes).toEqual([true]);
    await clock.advance(1);
    await done;
    expect([closes, clock.pending]).toEqual([[true, false], 0]);
  });
});

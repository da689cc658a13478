import { describe, expect, it } from 'vitest';

import { Endings, type EndedRun } from '../../../src/remote/node/endings.ts';
import { deferred } from '../../../src/testing/fakes.ts';

function ended(isWritten: boolean, over = Promise.resolve()): EndedRun {
  return { isWritten, over };
}

describe('an end', () => {
  it('an end is written before the stops of its session are over, and kept until they are', async () => {
    let changes = 0;
    const endings = new Endings(() => changes++);
    const stops = deferred<undefined>();
    const written = endings.add(Promise.resolve(ended(true, stops.promise)));
    expect([await written, endings.size, changes]).toEqual([true, 1, 0]);
    stops.resolve(undefined);
    await endings.allOver();
    expect([endings.size, changes]).toEqual([0, 1]);
  });

  it('an end that could not be written is over as well, and says so', async () => {
    const endings = new Endings(() => undefined);
    expect(await endings.add(Promise.resolve(ended(false)))).toBe(false);
    await endings.allOver();
    expect(endings.size).toBe(0);
  });
});

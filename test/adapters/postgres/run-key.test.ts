import { describe, expect, it } from 'vitest';

import { isHashed, keptAs, keptIn, keyOf, listIn } from '../../../src/adapters/postgres/run-key.ts';

const long = 'x'.repeat(3_000);

describe('the key of a run', () => {
  it.each(['chat-7', '👩‍👩‍👧', 'x'.repeat(1_998)])('the key of a run is its id where an index holds it: %s', (id) => {
    expect([keyOf(id), keptAs(id, 'record')]).toEqual([id, 'record']);
    expect(keptIn(id, 'record')).toEqual({ runId: id, value: 'record' });
  });

  it.each([
    ['is too long', 'x'.repeat(1_999)],
    ['is too long for a notification', '\u0001'.repeat(400)],
    ['has a character that no text holds', 'a\0b'],
    ['looks like the key of another', keyOf(long)],
  ])('the key of a run is short and its own where the id %s', (_, id) => {
    const key = keyOf(id);
    expect([key === id, key.length, isHashed(key)]).toEqual([false, 71, true]);
    expect(keptIn(key, keptAs(id, 'record'))).toEqual({ runId: id, value: 'record' });
    expect(keptAs(id, 'record')).not.toContain('\0');
  });

  it('the key of a run whose record somebody else has written names no run', () => {
    for (const kept of ['', '{}', '[]', '["id"]', '[1,"record"]']) expect(keptIn(keyOf(long), kept)).toBeUndefined();
    expect(listIn('no list')).toEqual([]);
  });
});

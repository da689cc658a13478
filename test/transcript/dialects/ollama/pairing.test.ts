import { describe, expect, it } from 'vitest';

import { Pairing } from '../../../../src/transcript/dialects/ollama/pairing.ts';

const callOf = (id: string, name: string, given: string | undefined) => ({ id, name, given, at: 0, input: {} });

function open(...calls: readonly (readonly [id: string, name: string, given?: string])[]): Pairing {
  const pairing = new Pairing();
  pairing.beginReply(false);
  for (const [id, name, given] of calls) pairing.call(callOf(id, name, given));
  return pairing;
}

describe('the pairing of results with calls', () => {
  it('goes by name, among those of one name by order, and without a name by order alone', () => {
    const pairing = open(['1', 'read'], ['2', 'list'], ['3', 'read']);
    const found = ['read', undefined, 'read', 'list'].map((name) => pairing.result(undefined, name)?.id);
    expect(found).toEqual(['1', '2', '3', '2']);
  });

  it('goes by the id where there is one, unless the name says otherwise', () => {
    const pairing = open(['a', 'read', 'a'], ['b', 'read', 'b'], ['c', 'list', 'c']);
    expect(pairing.result('b', 'read')?.id).toBe('b');
    expect(pairing.result('a', 'list')?.id).toBe('c');
    expect(pairing.result('gone', undefined)).toBeUndefined();
    expect(pairing.result('gone', 'read')).toBeUndefined();
  });

  it('gives what has an id to nobody else, also if it comes twice, and what has none to a call without one first', () => {
    const pairing = open(['a', 'read', 'a'], ['b', 'read', 'b']);
    expect(['b', 'b'].map((id) => pairing.result(id, 'read')?.id)).toEqual(['b', 'b']);
    pairing.beginReply(false);
    pairing.call(callOf('c', 'read', 'c'));
    expect(pairing.result('b', 'read')?.id).toBe('b');
    const mixed = open(['a', 'read', 'a'], ['read#1', 'read']);
    expect(mixed.result(undefined, 'read')?.id).toBe('read#1');
    expect(mixed.result('a', 'read')?.id).toBe('a');
  });

  it('takes the calls of replies that follow each other directly in their order', () => {
    const pairing = open(['1', 'read']);
    pairing.beginReply(true);
    pairing.call(callOf('2', 'read', undefined));
    expect([1, 2].map(() => pairing.result(undefined, 'read')?.id)).toEqual(['1', '2']);
  });

  it('finds a call that waits in an earlier reply, unless a later one hides it', () => {
    const pairing = open(['1', 'read'], ['2', 'list']);
    pairing.beginReply(false);
    pairing.call(callOf('2', 'list', undefined));
    expect(pairing.result(undefined, 'read')?.id).toBe('1');
    expect(pairing.result(undefined, 'list')?.id).toBe('2');
    expect(pairing.result(undefined, 'write')).toBeUndefined();
    const hidden = open(['b', 'read', 'b']);
    hidden.beginReply(false);
    hidden.call(callOf('b', 'list', 'b'));
    expect(hidden.result(undefined, 'read')).toBeUndefined();
  });

  it('passes over each call once, however many there are (G26)', () => {
    const pairing = open();
    const count = 50_000;
    for (let i = 0; i < count; i += 1) pairing.call(callOf(String(i), 'read', undefined));
    let last = '';
    for (let i = 0; i < count; i += 1) last = pairing.result(undefined, 'read')?.id ?? '';
    expect(last).toBe(String(count - 1));
  });

  it('keeps more waiting calls of earlier replies than a function may have arguments (G26)', () => {
    const pairing = new Pairing();
    const count = 150_000;
    for (let reply = 0; reply < 3; reply += 1) {
      pairing.beginReply(false);
      for (let i = 0; i < count; i += 1) pairing.call(callOf(`${String(reply)}_${String(i)}`, 'read', undefined));
    }
    expect(pairing.result(undefined, 'read')?.id).toBe('2_0');
  });
});

import { describe, expect, it } from 'vitest';

import { partsText, plainValue, toolContent, valueText } from '../../../src/transcript/words/values.ts';

describe('valueText', () => {
  const cyclic: Record<string, unknown> = { n: 1n, list: [{}] };
  cyclic['self'] = cyclic;
  const shared = { s: 1 };

  it.each<[unknown, string]>([
    ['as it is', 'as it is'],
    [undefined, ''],
    [null, 'null'],
    [{ a: [1] }, '{"a":[1]}'],
    [7n, '7'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new URL('https://x.test/a'), 'https://x.test/a'],
    [new Map([['a', 1n]]), '{"a":"1"}'],
    [new Map([[1, 'x']]), '[[1,"x"]]'],
    [new Set([1, undefined]), '[1,null]'],
    [new RangeError('no'), 'RangeError: no'],
    [{ error: new Error('inside') }, '{"error":"Error: inside"}'],
    [new Uint8Array(3), '[3 bytes]'],
    [[undefined, () => 1, NaN], '[null,null,null]'],
    [JSON.parse('{"__proto__":{"polluted":true}}'), '{"__proto__":{"polluted":true}}'],
    [cyclic, '{"n":"1","list":[{}],"self":"[Circular]"}'],
    [{ n: 1n, one: shared, two: shared }, '{"n":"1","one":{"s":1},"two":{"s":1}}'],
    [() => 1, '[object Function]'],
    [
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      '[Unreadable]',
    ],
  ])('%#', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});

describe('plainValue', () => {
  it('pollutes nothing, whatever a key is called', () => {
    const plain = plainValue(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'));
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('lets a getter that throws spoil itself alone', () => {
    const value = Object.defineProperty({ a: 1 }, 'b', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(plainValue(value)).toEqual({ a: 1, b: '[Unreadable]' });
  });

  it('survives a value that is nested deeper than the stack', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i += 1) deep = { deep };
    expect(JSON.stringify(plainValue(deep))).toMatch(/"\[Object\]"/);
  });

  it('writes a shared value as often as it stands there, and no more than a limit', () => {
    let shared: unknown = ['x'];
    for (let i = 0; i < 40; i += 1) shared = [shared, shared];
    expect(JSON.stringify(plainValue(shared)).length).toBeLessThan(20_000_000);
  });
});

describe('toolContent', () => {
  it('reads what an MCP tool returned', () => {
    const resource = { type: 'resource', resource: { uri: 'file:///a', text: 'A' } };
    const link = { type: 'resource_link', name: 'b', uri: 'file:///b' };
    const image = { type: 'image', data: 'iVBO', mimeType: 'image/png' };
    const audio = { type: 'audio', data: 'x', mimeType: 'audio/wav' };
    const content = toolContent({
      isError: true,
      content: [{ type: 'text', text: 'no' }, resource, link, image, audio],
    });
    expect(content?.isError).toBe(true);
    expect(partsText(content?.parts ?? [])).toBe('no\nfile:///a\nA\nb: file:///b\n[image/png]\n[audio/wav]');
  });

  it('reads a structured result without a text', () => {
    expect(toolContent({ content: [], structuredContent: { n: 1 } })?.parts).toEqual([
      { type: 'text', text: '{"n":1}' },
    ]);
  });

  it.each([
    undefined,
    null,
    'x',
    [],
    {},
    { content: 'x' },
    { content: [] },
    { content: [{ type: 'text', text: 'first' }], total: 50, next: 'cursor-2' },
    { content: [7] },
    { content: [{ type: 'x' }] },
  ])('takes %j for what it is', (value) => {
    expect(toolContent(value)).toBeUndefined();
  });
});

import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { MANY, type Node } from '../../../src/core/token/tree/node.ts';

const isMany = (source: { readonly token: CancellationToken }): boolean =>
  ((source.token as unknown as Node).flags & MANY) !== 0;

describe('several parents', () => {
  const a = new CancellationTokenSource().token;
  const b = new CancellationTokenSource().token;
  const { none } = CancellationToken;

  it.each([
    ['nothing', [], undefined],
    ['none', [none], undefined],
    ['none twice', [none, none], undefined],
    ['one and none', [none, a], a],
    ['one twice', [a, a, none], a],
  ] as const)('%s make no link', (_what, parent, wanted) => {
    const source = new CancellationTokenSource({ parent });
    expect([isMany(source), (source.token as unknown as Node).parent]).toEqual([false, wanted]);
  });

  it('several parents make a link where two are left', () => {
    expect(isMany(new CancellationTokenSource({ parent: [none, a, b] }))).toBe(true);
  });
});

describe('instanceof', () => {
  it('instanceof knows a source of any making and of any copy of the package', async () => {
    const source = new CancellationTokenSource();
    vi.resetModules();
    const copy = await import('../../../src/index.ts');
    expect(copy.CancellationTokenSource).not.toBe(CancellationTokenSource);
    for (const each of [source, source.token.child(), new copy.CancellationTokenSource()]) {
      expect(each).toBeInstanceOf(CancellationTokenSource);
      expect(each).toBeInstanceOf(copy.CancellationTokenSource);
    }
    expect(source.token).not.toBeInstanceOf(CancellationTokenSource);
  });

  it('instanceof tells a subclass from the class', () => {
    class Mine extends CancellationTokenSource {}
    expect(new Mine()).toBeInstanceOf(Mine);
    expect(new CancellationTokenSource()).not.toBeInstanceOf(Mine);
  });
});

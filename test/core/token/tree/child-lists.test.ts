import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { linkUp, unlinkUp } from '../../../../src/core/token/tree/child-lists.ts';
import { extraOf, type Node } from '../../../../src/core/token/tree/node.ts';
import type { Token } from '../../../../src/core/token/token.ts';

function nodeOf(source: { readonly token: CancellationToken }): Token {
  return tokenOf(source.token);
}

/** One more reason to be linked, as a listener is. */
function watch(node: Node): void {
  if (extraOf(node).watch++ === 0) linkUp(node);
}

/** One reason less. */
function unwatch(node: Node): void {
  if (--extraOf(node).watch === 0) unlinkUp(node);
}

/** The children a node is linked to, in link order. */
function kidsOf(node: Node): Node[] {
  const kids = node.extra?.kids;
  return kids instanceof Set ? [...kids] : kids === undefined ? [] : [kids];
}

function children(count: number): { root: CancellationTokenSource; kids: Token[] } {
  const root = new CancellationTokenSource();
  return { root, kids: Array.from({ length: count }, () => nodeOf(root.token.child())) };
}

describe('a link', () => {
  it('a link lasts exactly while somebody listens at it or below it', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const leaf = middle.token.child();
    watch(nodeOf(leaf));
    watch(nodeOf(leaf));
    watch(nodeOf(middle));
    expect(kidsOf(nodeOf(root))).toEqual([middle.token]);
    expect(kidsOf(nodeOf(middle))).toEqual([leaf.token]);
    unwatch(nodeOf(leaf));
    expect(kidsOf(nodeOf(middle))).toEqual([leaf.token]);
    unwatch(nodeOf(leaf));
    expect(kidsOf(nodeOf(middle))).toEqual([]);
    expect(kidsOf(nodeOf(root))).toEqual([middle.token]);
    unwatch(nodeOf(middle));
    expect(kidsOf(nodeOf(root))).toEqual([]);
    expect(nodeOf(root).extra?.watch).toBe(0);
  });

  it('a link hangs in the list of every parent, once each', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const first = nodeOf(one.token.child());
    watch(first);
    const joined = tokenOf(CancellationToken.any(one.token, two.token));
    watch(joined);
    expect([kidsOf(nodeOf(one)), kidsOf(nodeOf(two))]).toEqual([[first, joined], [joined]]);
    unwatch(first);
    expect([kidsOf(nodeOf(one)), kidsOf(nodeOf(two))]).toEqual([[joined], [joined]]);
    unwatch(joined);
    expect([nodeOf(one).extra?.watch, nodeOf(two).extra?.watch]).toEqual([0, 0]);
  });

  it('a link is not laid to a parent that has nothing more to say', () => {
    for (const end of ['kill'] as const) {
      const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
      const all = tokenOf(CancellationToken.all(one.token, two.token));
      one[end]();
      watch(all);
      expect(kidsOf(nodeOf(one))).toEqual([]);
      expect(kidsOf(nodeOf(two))).toEqual([all]);
      unwatch(all);
      expect(kidsOf(nodeOf(two))).toEqual([]);
    }
  });

  it('a link is one where a parent is named twice', () => {
    const parent = new CancellationTokenSource();
    const child = nodeOf(new CancellationTokenSource({ parent: [parent.token, parent.token, parent.signal] }));
    watch(child);
    expect(kidsOf(nodeOf(parent))).toEqual([child]);
    unwatch(child);
    expect(kidsOf(nodeOf(parent))).toEqual([]);
  });

  it('a link is not laid to a parent that something above it has killed, also if nobody has looked yet', () => {
    const [root, other] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const child = root.token.child();
    const all = tokenOf(CancellationToken.all(child.token, other.token));
    root.kill();
    watch(all);
    expect(kidsOf(nodeOf(child))).toEqual([]);
    expect(kidsOf(nodeOf(other))).toEqual([all]);
  });

  it('a link is laid to a parent that is cancelled: it can still be killed', () => {
    const root = new CancellationTokenSource();
    root.cancel();
    const child = nodeOf(root.token.child());
    watch(child);
    expect(kidsOf(nodeOf(root))).toEqual([child]);
    unwatch(child);
    expect(kidsOf(nodeOf(root))).toEqual([]);
  });
});

describe('the list of children', () => {
  it('the list of children of a node with several parents goes up the first one’s way first', () => {
    const root = new CancellationTokenSource();
    const parents = ['first', 'second', 'third'].map((name) => root.token.child({ name }).token);
    watch(nodeOf({ token: CancellationToken.any(...parents) }));
    expect(kidsOf(nodeOf(root))).toEqual(parents);
  });

  it('the list of children keeps link order whoever leaves', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { root, kids } = children(40);
      const linked: Token[] = [];
      let random = seed;
      for (let step = 0; step < 400; step++) {
        random = (random * 48_271) % 2_147_483_647;
        const kid = kids[random % kids.length]!;
        const at = linked.indexOf(kid);
        if (at < 0) {
          watch(kid);
          linked.push(kid);
        } else {
          unwatch(kid);
          linked.splice(at, 1);
        }
        expect(kidsOf(nodeOf(root)).map((one) => kids.findIndex((kid) => kid === one))).toEqual(
          linked.map((one) => kids.indexOf(one)),
        );
        expect(nodeOf(root).extra?.watch).toBe(linked.length);
      }
    }
  });

  it('the list of children keeps link order also around nodes with several parents', () => {
    const { root, kids } = children(8);
    const other = new CancellationTokenSource();
    const joined = Array.from({ length: 8 }, () => tokenOf(CancellationToken.any(root.token, other.token)));
    for (let i = 0; i < 8; i++) {
      watch(kids[i]!);
      watch(joined[i]!);
    }
    for (const kid of [...kids.slice(0, 7), ...joined.slice(0, 6)]) unwatch(kid);
    const late = nodeOf(root.token.child());
    watch(late);
    watch(kids[0]!);
    expect(kidsOf(nodeOf(root))).toEqual([joined[6], kids[7], joined[7], late, kids[0]]);
    for (const kid of [joined[6]!, late, kids[7]!, joined[7]!, kids[0]!]) unwatch(kid);
    expect(kidsOf(nodeOf(root))).toEqual([]);
    expect([nodeOf(root).extra?.watch, nodeOf(other).extra?.watch]).toEqual([0, 0]);
  });

  it('the list of children does not grow with the number of children that came and went', () => {
    const root = new CancellationTokenSource();
    const oldest = nodeOf(root.token.child());
    watch(oldest);
    for (let i = 0; i < 5_000; i++) {
      const [a, b] = [nodeOf(root.token.child()), nodeOf(root.token.child())];
      watch(a);
      watch(b);
      unwatch(a);
      unwatch(b);
    }
    expect(kidsOf(nodeOf(root))).toEqual([oldest]);
  });
});

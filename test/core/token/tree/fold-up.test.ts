import { expect, it } from 'vitest';

import { foldUp } from '../../../../src/core/token/tree/fold-up.ts';
import type { Node } from '../../../../src/core/token/tree/node.ts';
import { Token } from '../../../../src/core/token/token.ts';

it('I8 foldUp works out each node once, however many ways lead to it, and overflows no stack', () => {
  const above = new Map<Node, Node[]>();
  let node: Node = new Token(undefined);
  for (let depth = 0; depth < 100_000; depth++) {
    const below = new Token(undefined);
    above.set(below, [node, node]);
    node = below;
  }
  let combined = 0;
  const depth = foldUp<number>(
    node,
    (each) => above.get(each) ?? [],
    (_each, values) => {
      combined += 1;
      return 1 + Math.max(0, ...values);
    },
  );
  expect([depth, combined]).toEqual([100_001, 100_001]);
});

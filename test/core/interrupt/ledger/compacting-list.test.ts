import { describe, expect, it } from 'vitest';

import { CompactingList } from '../../../../src/core/interrupt/ledger/compacting-list.ts';

interface Thing {
  readonly id: number;
  isOver: boolean;
}

function tracked() {
  let looks = 0;
  const list = new CompactingList<Thing>(({ isOver }) => {
    looks++;
    return isOver;
  });
  const end = (thing: Thing): void => {
    thing.isOver = true;
    list.ended();
  };
  const add = (id: number): Thing => {
    const thing = { id, isOver: false };
    list.add(thing);
    return thing;
  };
  return { list, add, end, ids: () => list.list().map(({ id }) => id), looks: () => looks };
}

describe('a compacting list', () => {
  it('are listed in the order in which they came, without those that are over', () => {
    const { add, end, ids } = tracked();
    const things = Array.from({ length: 50 }, (_, id) => add(id));
    for (const thing of things) if (thing.id % 3 !== 0) end(thing);
    add(50);
    expect(ids()).toEqual([...Array.from({ length: 17 }, (_, index) => index * 3), 50]);
  });

  it('are found by a rank that rises, as long as they are not over', () => {
    const { list, add, end } = tracked();
    const things = Array.from({ length: 50 }, (_, id) => add(id * 2));
    for (const thing of things) if (thing.id % 3 !== 0) end(thing);
    const idOf = ({ id }: Thing): number => id;
    for (let id = -1; id < 101; id += 1) {
      const isThere = id >= 0 && id < 100 && id % 6 === 0;
      expect(list.find(id, idOf)?.id).toBe(isThere ? id : undefined);
    }
  });

  it('are listed as they are now: who ends one while he walks the list does not disturb the walk', () => {
    const { list, add, end, ids } = tracked();
    for (let id = 0; id < 40; id++) add(id);
    let walked = 0;
    for (const thing of list.list()) {
      end(thing);
      walked++;
    }
    expect([walked, ids()]).toEqual([40, []]);
  });

  it('cost the same, however many there are and in whatever order they end', () => {
    for (const order of [1, -1]) {
      const { add, end, looks } = tracked();
      const things = Array.from({ length: 10_000 }, (_, id) => add(id));
      for (const thing of order === 1 ? things : things.reverse()) end(thing);
      expect(looks()).toBeLessThan(3 * 10_000);
    }
  });

  it('are let go of when they are over, all but a handful', () => {
    const { list, add, end, looks } = tracked();
    for (let id = 0; id < 1_000; id++) end(add(id));
    const before = looks();
    list.list();
    expect(looks() - before).toBeLessThan(16);
  });
});

import { afterEach, describe, expect, it } from 'vitest';

import { defineHidden, hasBrand, recognise, shared } from '../../../src/core/foundation/brand.ts';

const brand = Symbol('brand');

describe('a brand', () => {
  class Marked {}
  defineHidden(Marked, [[brand, 7]]);

  it('a brand stands on every instance and shows in none', () => {
    const instance = new Marked();
    expect([hasBrand(instance, brand, 7), hasBrand(instance, brand), hasBrand({}, brand, 7)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([Reflect.ownKeys(instance), hasBrand(null, brand, 7), hasBrand(7, brand, 7)]).toEqual([[], false, false]);
  });
});

describe('hidden members', () => {
  it('hidden members are on the prototype, not enumerable, and may be written over', () => {
    class Plain {}
    defineHidden(Plain, [['label', 'a']]);
    const instance = new Plain() as { label: string };
    expect([instance.label, Object.keys(Plain.prototype)]).toEqual(['a', []]);
    instance.label = 'b';
    expect(instance.label).toBe('b');
  });
});

describe('a class that recognises its instances', () => {
  class Base {}
  class Derived extends Base {}
  recognise(Base, (value) => hasBrand(value, brand));

  it('a class that recognises its instances goes by the mark, and its subclasses by their prototypes', () => {
    const stranger = { [brand]: true };
    expect(stranger instanceof Base).toBe(true);
    expect(new Base() instanceof Base).toBe(false);
    expect(stranger instanceof Derived).toBe(false);
    expect(new Derived() instanceof Derived).toBe(true);
  });
});

describe('state that copies of the package share', () => {
  const key = Symbol.for('desist.test.1');
  const host = globalThis as Record<symbol, unknown>;
  const get = (): { count: number } =>
    shared<{ count: number }>(
      'test',
      1,
      () => ({ count: 0 }),
      ({ count }) => typeof count === 'number',
    );

  afterEach(() => {
    Reflect.deleteProperty(host, key);
  });

  it('state that copies of the package share is made once and found by the next copy', () => {
    const first = get();
    first.count = 3;
    expect(get()).toBe(first);
    expect(host[key]).toBe(first);
  });

  it.each([{}, 1, 'x', () => 1, { count: 'many' }])('%o in its place is refused by name', (wrong) => {
    host[key] = wrong;
    expect(get).toThrow(
      new TypeError("globalThis[Symbol.for('desist.test.1')] belongs to desist, and holds something else"),
    );
  });
});

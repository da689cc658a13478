/** The text of a declaration file, rewritten. */
import { describe, expect, it } from 'vitest';

import { edited, withAliases, withoutExports } from '../../scripts/declaration-texts.ts';

describe('a text', () => {
  it('a text has every edit where it was meant, in any order', () => {
    const edits = [
      { from: 0, to: 1, text: 'one' },
      { from: 4, to: 5, text: '' },
      { from: 2, to: 3, text: 'two' },
    ];
    expect(edited('a b c', edits)).toBe('one two ');
  });
});

describe('a declaration file', () => {
  it('a declaration file keeps of its exports those that are read', () => {
    const text = 'type A = 1;\ntype B = 2;\nexport type { A as a, B as b };\nexport { c };';
    expect(withoutExports(text, new Set(['b']))).toBe('type A = 1;\ntype B = 2;\nexport type { B as b };\nexport {};');
  });

  it('a declaration file has an alias for an interface that it does not export', () => {
    expect(
      withAliases(
        '/** One. */\ninterface A {\n    /** A. */\n    a: 1;\n}\ninterface B { b: A }\nexport type { B as b };',
      ),
    ).toBe('/** One. */\ntype A = {\n    /** A. */\n    a: 1;\n};\ninterface B { b: A }\nexport type { B as b };');
  });

  it('a declaration file has an alias of all that an interface extends, with its parameters', () => {
    expect(withAliases('interface A<T, U extends T = T> extends B<T>, C { a: U }')).toBe(
      'type A<T, U extends T = T> = B<T> & C & { a: U\n};',
    );
    expect(withAliases('interface A extends B {}')).toBe('type A = B;');
    expect(withAliases('interface A {}')).toBe('type A = {\n};');
  });
});

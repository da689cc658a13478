/**
 * The table of types names what the doors export.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { root } from '../architecture/source.ts';

type Exports = Readonly<Record<string, { readonly types: readonly string[]; readonly values: readonly string[] }>>;

/** Types in the first column of a page's tables, each with the door that its row or its section names. */
function typesIn(page: string): { readonly door: string; readonly name: string }[] {
  let section = '';
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = /`(desist[\w/-]*)`/.exec(line)?.[1] ?? '';
    const [, first = '', second = ''] = line.startsWith('|') ? line.split('|') : [];
    const door = /`(desist[\w/-]*)`/.exec(second)?.[1] ?? section;
    return [...first.matchAll(/`(\w+)(?:<[^`]*>)?`/g)].map(([, name = '']) => ({ door, name }));
  });
}

/** Rows whose door does not export such a name. */
function unknownTypes(page: string, exported: Exports): string[] {
  return typesIn(page)
    .filter(({ door, name }) => ![exported[door]?.types, exported[door]?.values].some((names) => names?.includes(name)))
    .map(({ door, name }) => `${door === '' ? 'no door' : door} does not export ${name}`);
}

describe('the table of types', () => {
  it('every type in the table is exported by the door that the table names', () => {
    const page = readFileSync(join(root, 'docs/types.md'), 'utf8');
    const exported = JSON.parse(readFileSync(join(root, 'test/package/exports.json'), 'utf8')) as Exports;
    expect(typesIn(page).length).toBeGreaterThan(40);
    expect(unknownTypes(page, exported)).toEqual([]);
  });

  it('a type that its door does not export is found', () => {
    const page =
      '## From `desist`\n| `Token`, `Turn<T>` | a |\n## Others\n| `Kept` | `desist/x` | a |\n| `Lost` | `desist/y` |\n';
    const exported = { desist: { types: ['Turn'], values: [] }, 'desist/x': { types: [], values: ['Kept'] } };
    expect(unknownTypes(page, exported)).toEqual(['desist does not export Token', 'desist/y does not export Lost']);
  });
});

/** What `require` reads of the declarations says what they say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { withoutUnused, writeCommonJsTypes } from '../../scripts/commonjs-types.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'declarations-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function written(declarations: string): string {
  writeFileSync(join(folder, 'door.d.ts'), declarations);
  writeCommonJsTypes(folder, ['door']);
  return readFileSync(join(folder, 'door.d.cts'), 'utf8');
}

const asked = "'./door.js' with { 'resolution-mode': 'import' }";

describe('the declarations for require', () => {
  it('the declarations for require pass on values and types by name', () => {
    expect(written('declare function f(): B; interface B { b: 1 } export { f, type B };')).toBe(
      `import type * as door from ${asked};
export type { B } from ${asked};
declare const f: typeof door.f;
export { f };
`,
    );
  });

  it('the declarations for require pass on a class as a value and as a type, with its parameters', () => {
    expect(written('declare class C<T extends object, U = string> { t: T; u: U } export { C };')).toContain(
      'declare const C: typeof door.C;\ntype C<T extends object, U = string> = door.C<T, U>;\n',
    );
  });

  it('the declarations for require keep what an editor shows of a class and of a constant', () => {
    const text = written(
      '/** Stops. */\ndeclare class C { c: 1 }\n/** Two. */\ndeclare const two: 2;\nexport { C, two };',
    );
    expect(text).toContain('/** Stops. */\ndeclare const C: typeof door.C;\n/** Stops. */\ntype C = door.C;\n');
    expect(text).toContain('/** Two. */\ndeclare const two: typeof door.two;\n');
  });

  it('the declarations for require refuse a parameter whose bound is a type of the module', () => {
    expect(() => written('interface B { b: 1 } declare class C<T extends B> { t: T } export { C };')).toThrow(
      'the type parameters of C name a type: <T extends B>',
    );
  });
});

describe('the names of the platform', () => {
  const platform = '/// <reference lib="x" />\ntype A = 1;\ntype B = A;\ntype C = 2;';

  it('the names of the platform stay where they are used, or where one that is used needs them', () => {
    expect(withoutUnused(`${platform}\ndeclare const b: B;\n`, platform)).toBe(
      '/// <reference lib="x" />\ntype A = 1;\ntype B = A;\ndeclare const b: B;\n',
    );
    expect(withoutUnused(`${platform}\nexport {};\n`, platform)).toBe('/// <reference lib="x" />\nexport {};\n');
  });

  it('the names of the platform are left alone in a file that does not begin with them', () => {
    expect(withoutUnused('type C = 3;\n', platform)).toBe('type C = 3;\n');
  });
});

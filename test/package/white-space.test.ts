/** What is taken out of a built script changes nothing of it. */
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';

import { withoutWhiteSpace } from '../../scripts/white-space.ts';
import { readBuilt } from './built.ts';

const minified = async (code: string): Promise<string> => (await transform(code, { minify: true })).code;

describe('a script without white space', () => {
  it.each([
    ['a = b + +c - -d;', 'a=b+ +c- -d;'],
    ['a = b / /c d/.e;', 'a=b/ /c d/.e;'],
    ['if (a < !--b) c-- > d;', 'if(a< !--b)c-- >d;'],
    ['a = 1 .toFixed();', 'a=1 .toFixed();'],
    ['a = `b ${c + d}  e`;', 'a=`b ${c+d}  e`;'],
    ['var a = /* @__PURE__ */ b(1 /* MANY */);', 'var a=/*@__PURE__*/b(1);'],
    ['import(/* @vite-ignore */ a);', 'import(/*@vite-ignore*/a);'],
    ['// src/a.ts\nfunction a() {\n  return 1;\n}\n\nvar b;', 'function a(){return 1}\nvar b;'.replace('1}', '1;}')],
    ['a\nb', 'a\nb'],
    ['#!/usr/bin/env node\nimport a from "a";', '#!/usr/bin/env node\nimport a from"a";'],
  ])('a script without white space, %j, is the same script', async (code, expected) => {
    expect(withoutWhiteSpace(code)).toBe(`${expected}\n`);
    expect(await minified(expected)).toBe(await minified(code));
  });

  it('a script without white space keeps the marks of what bundlers may drop, and a line for each statement', () => {
    const scripts = [...readBuilt(/^chunk-\w+\.js$/)].toSorted(([, a], [, b]) => b.length - a.length);
    const [name, text] = scripts[0] ?? ['none', ''];
    expect(text, name).toContain('/*@__PURE__*/');
    expect(text.split('\n').length).toBeGreaterThan(text.length / 200);
  });
});

/**
 * Each rule against a planted violation and its lawful neighbour: a rule that finds nothing must be able to find something.
 */
import { describe, expect, it } from 'vitest';

import { bannedConstructs, namedExportsOnly } from './constructs.ts';
import { docstrings } from './docstrings.ts';
import { unscaledLimits } from './limits.ts';
import { classesNamed, portSizes, typeKnots } from './knots.ts';
import { chainDepth, importCycles, importDirection } from './imports.ts';
import { doorsMatchSources, fileCeiling, fileHeaders, fileNames, testTwins, roomSizes } from './shape.ts';
import type { Sources } from './source.ts';
import { titlesWithoutSubject } from './titles.ts';

/** Files that exist for the planted imports to point at. */
const neighbours = [
  'src/index.ts',
  'src/core/inside.ts',
  'src/guard/index.ts',
  'src/sessions/index.ts',
  'src/core/foundation/clock.ts',
  'src/core/token/node.ts',
  'src/core/combinators/delay.ts',
  'src/core/interrupt/turn.ts',
  'src/transcript/index.ts',
  'src/transcript/wording.ts',
  'src/remote/backend.ts',
  'src/adapters/internal/process-table.ts',
  'src/adapters/fetch.ts',
  'src/adapters/terminal/index.ts',
  'src/adapters/terminal/keys.ts',
  'src/testing/index.ts',
];

function house(files: Readonly<Record<string, string>>): Sources {
  return new Map([...neighbours.map((path) => [path, ''] as const), ...Object.entries(files)]);
}

describe('importDirection', () => {
  it.each([
    ['src/core/foundation/x.ts', '../token/node.ts', 'src/core/foundation/'],
    ['src/core/token/x.ts', '../combinators/delay.ts', 'src/core/foundation/'],
    ['src/core/combinators/x.ts', '../interrupt/turn.ts', 'src/core/token/'],
    ['src/core/interrupt/x.ts', '../../transcript/index.ts', 'src/core/combinators/'],
    ['src/core/interrupt/x.ts', '../../index.ts', 'src/core/combinators/'],
    ['src/transcript/x.ts', '../core/token/node.ts', 'src/core/foundation/'],
    ['src/transcript/x.ts', '../core/interrupt/turn.ts', 'types of src/core/interrupt/'],
    ['src/remote/x.ts', '../transcript/index.ts', 'src/core/interrupt/'],
    ['src/adapters/internal/x.ts', '../fetch.ts', 'src/core/inside.ts'],
    ['src/adapters/internal/x.ts', '../../core/token/node.ts', 'src/core/inside.ts'],
    ['src/adapters/mcp.ts', '../core/foundation/clock.ts', 'src/core/inside.ts'],
    ['src/guard/x.ts', '../sessions/index.ts', 'src/core/interrupt/'],
    ['src/sessions/x.ts', '../guard/index.ts', 'src/core/interrupt/'],
    ['src/core/interrupt/x.ts', '../../guard/index.ts', 'src/core/combinators/'],
    ['src/core/inside.ts', '../guard/index.ts', 'src/core/interrupt/'],
    ['src/adapters/mcp.ts', './fetch.ts', 'src/adapters/internal/'],
    ['src/adapters/mcp.ts', './terminal/index.ts', 'src/adapters/internal/'],
    ['src/adapters/mcp.ts', '../index.ts', 'src/adapters/internal/'],
    ['src/adapters/mcp.ts', '../remote/backend.ts', 'src/adapters/internal/'],
    ['src/adapters/terminal/x.ts', '../fetch.ts', 'src/adapters/terminal/'],
    ['src/testing/x.ts', '../core/foundation/clock.ts', 'src/index.ts'],
    ['src/testing/x.ts', '../transcript/wording.ts', 'src/transcript/index.ts'],
    ['src/index.ts', './transcript/index.ts', 'src/core/interrupt/'],
  ])('%s must not import %s, and is told where it may go', (path, specifier, allowed) => {
    const [line = '', ...rest] = importDirection(house({ [path]: `import { x } from '${specifier}'` }));
    expect(rest).toEqual([]);
    expect(line).toContain(`${path}:1: imports `);
    expect(line).toContain(allowed);
  });

  it.each([
    ['src/core/token/x.ts', 'node:events'],
    ['src/core/combinators/x.ts', 'abort-controller-x'],
    ['src/adapters/mcp.ts', '@modelcontextprotocol/sdk/client/index.js'],
    ['src/adapters/ambient/index.ts', 'abort-controller-x'],
    ['src/testing/x.ts', 'fast-check'],
    ['src/transcript/x.ts', 'node:util'],
  ])('%s must not import the package %s', (path, name) => {
    expect(importDirection(house({ [path]: `import x from '${name}'` }))).toEqual([
      expect.stringContaining(`imports package '${name}'`),
    ]);
  });

  it('importDirection sees every way to import', () => {
    for (const text of [
      `export { x } from '../interrupt/turn.ts'`,
      `import '../interrupt/turn.ts'`,
      `const x = await import('../interrupt/turn.ts')`,
      `let x: import('../interrupt/turn.ts').T`,
      `import type { T } from '../interrupt/turn.ts'`,
    ]) {
      expect(importDirection(house({ 'src/core/token/x.ts': text })), text).toHaveLength(1);
    }
  });

  it('importDirection knows every room, and every file that is imported', () => {
    expect(importDirection(house({ 'src/attic/x.ts': '' }))).toEqual([
      'src/attic/x.ts: belongs to no room of the house',
    ]);
    expect(importDirection(house({ 'src/core/token/x.ts': `import './gone.ts'` }))).toEqual([
      expect.stringContaining('there is no src/core/token/gone.ts'),
    ]);
  });

  it('importDirection lets through what the law allows', () => {
    const lawful = house({
      'src/core/interrupt/x.ts': `import '../combinators/delay.ts'; import './turn.ts'`,
      'src/transcript/x.ts': `import type { T } from '../core/interrupt/turn.ts'; import { type U } from '../core/interrupt/turn.ts'`,
      'src/adapters/compose/all.ts': `import { all } from 'abort-controller-x'; import '../../core/inside.ts'`,
      'src/adapters/redis/index.ts': `import '../../remote/backend.ts'`,
      'src/adapters/terminal/index.ts': `import './keys.ts'; import 'node:tty'; import '../internal/process-table.ts'`,
      'src/testing/x.ts': `import '../index.ts'; import '../transcript/index.ts'; import 'node:events'`,
      'src/testing/fast-check/x.ts': `import 'fast-check'; import '../index.ts'`,
    });
    expect(importDirection(lawful)).toEqual([]);
  });
});

describe('importCycles', () => {
  it('importCycles finds a circle of any length', () => {
    const sources = new Map([
      ['src/guard/a.ts', `import { b } from './b.ts'`],
      ['src/guard/b.ts', `export { c } from './c.ts'`],
      ['src/guard/c.ts', `import { a } from './a.ts'`],
    ]);
    expect(importCycles(sources)).toEqual([
      'cycle: src/guard/a.ts -> src/guard/b.ts -> src/guard/c.ts -> src/guard/a.ts',
    ]);
  });
  it('importCycles lets types point at each other within a room, and not across rooms', () => {
    const within = new Map([
      ['src/guard/a.ts', `import type { B } from './b.ts'`],
      ['src/guard/b.ts', `import { a } from './a.ts'`],
    ]);
    expect(importCycles(within)).toEqual([]);
    const across = new Map([
      ['src/core/token/a.ts', `import type { B } from '../foundation/b.ts'`],
      ['src/core/foundation/b.ts', `import type { A } from '../token/a.ts'`],
    ]);
    expect(importCycles(across)).toEqual(['cycle: src/core/token -> src/core/foundation -> src/core/token']);
  });
  it('importCycles lets a diamond through', () => {
    const sources = new Map([
      ['src/a.ts', `import './b.ts'; import './c.ts'`],
      ['src/b.ts', `import './d.ts'`],
      ['src/c.ts', `import './d.ts'`],
      ['src/d.ts', ''],
    ]);
    expect(importCycles(sources)).toEqual([]);
  });
});

describe('typeKnots', () => {
  const circle = (length: number): Sources =>
    new Map(
      Array.from({ length }, (_, i) => [
        `src/guard/f${String(i)}.ts`,
        `import type { X } from './f${String((i + 1) % length)}.ts'`,
      ]),
    );
  it('typeKnots lets three files point at each other, and not four', () => {
    expect(typeKnots(circle(3))).toEqual([]);
    expect(typeKnots(circle(4))).toEqual([expect.stringContaining('4 files point at each other, 3 may')]);
  });
});

describe('portSizes', () => {
  const port = (members: number, comment = ''): Sources => {
    const fields = Array.from({ length: members }, (_, i) => `f${String(i)}: number`).join('; ');
    return new Map([['src/core/interrupt/x.ts', `${comment}interface Port { ${fields} }`]]);
  };
  it('portSizes counts what an interface shows to other parts, and not to users', () => {
    expect(portSizes(port(15))).toEqual([]);
    expect(portSizes(port(16))).toEqual([expect.stringContaining('Port shows 16 members, 15 at most')]);
    expect(portSizes(port(16, '/** @since 0.1.0 */\n'))).toEqual([]);
  });
});

describe('classesNamed', () => {
  it('classesNamed counts the files that import a class behind interfaces, by any name', () => {
    const files = (count: number): Sources =>
      new Map(
        Array.from({ length: count }, (_, i) => [
          `src/core/interrupt/f${String(i)}.ts`,
          `import type { Agent as A${String(i)} } from './agent.ts'`,
        ]),
      );
    expect(classesNamed(files(2))).toEqual([]);
    expect(classesNamed(files(3))).toEqual([expect.stringContaining('the class Agent is imported by')]);
  });
});

describe('chainDepth', () => {
  const chain = (length: number): Map<string, string> =>
    new Map(
      Array.from({ length }, (_, i) => [
        `src/core/interrupt/f${String(i)}.ts`,
        i + 1 < length ? `import { x } from './f${String(i + 1)}.ts'` : '',
      ]),
    );
  it('chainDepth counts the longest way down', () => {
    expect(chainDepth(chain(8))).toEqual([]);
    expect(chainDepth(chain(9))).toEqual([expect.stringContaining('9 levels, 8 allowed')]);
  });
});

describe('roomSizes', () => {
  it('roomSizes allows a dozen files and not one more', () => {
    const files = (count: number): Map<string, string> =>
      new Map(Array.from({ length: count }, (_, i) => [`src/guard/f${String(i)}.ts`, '']));
    expect(roomSizes(files(12))).toEqual([]);
    expect(roomSizes(files(13))).toEqual([expect.stringContaining('src/guard: 13 files')]);
  });
});

describe('bannedConstructs', () => {
  it.each([
    ['src/adapters/fetch.ts', 'await Promise.race([a, b])', 'Promise.race'],
    ['src/adapters/fetch.ts', 'globalThis.Promise.race([a, b])', 'Promise.race'],
    ['src/transcript/x.ts', 'const s = AbortSignal.any([a])', 'AbortSignal.any'],
    ['src/core/token/x.ts', 'setTimeout(fn, 1)', 'Clock'],
    ['src/core/token/x.ts', 'globalThis.setTimeout(fn, 1)', 'Clock'],
    ['src/core/token/x.ts', 'host.setInterval(fn, 1)', 'Clock'],
    ['src/core/combinators/x.ts', 'const t = Date.now()', 'Clock'],
    ['src/core/combinators/x.ts', 'const read = performance.now', 'Clock'],
    ['src/core/interrupt/x.ts', 'const t = new Date()', 'Clock'],
    ['src/adapters/terminal/x.ts', `process.on('exit', fn)`, 'process-hooks'],
    ['src/adapters/internal/process-table.ts', `globalThis.process.once('exit', fn)`, 'process-hooks'],
  ])('%s must not say %s', (path, text, why) => {
    const lines = bannedConstructs(new Map([[path, text]]));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(why);
  });

  it.each([
    ['src/core/foundation/clock.ts', 'host.setTimeout(fn, 1); performance.now()'],
    ['src/core/foundation/errors.ts', 'new Date(reason.at).toISOString()'],
    ['src/core/token/x.ts', '/** Not Date.now() nor Promise.race([]). */ clock.now(); this.#race(a)'],
    ['src/adapters/fetch.ts', 'setTimeout(fn, 1)'],
    ['src/adapters/internal/process/process-hooks.ts', `process.on('exit', fn)`],
    ['src/adapters/internal/process/process-hooks/registry.ts', `process.on('exit', fn)`],
    ['src/adapters/child-process.ts', `child.on('exit', fn); process.stdin.on('data', fn)`],
  ])('%s may say %s', (path, text) => {
    expect(bannedConstructs(new Map([[path, text]]))).toEqual([]);
  });
});

describe('namedExportsOnly', () => {
  it.each([
    `export default 1`,
    `export default function f() {}`,
    `export { x as default } from './x.ts'`,
    `export * from './x.ts'`,
    `export * as x from './x.ts'`,
    `export type * from './x.ts'`,
  ])('namedExportsOnly refuses %s', (text) => {
    expect(namedExportsOnly(new Map([['src/x.ts', text]]))).toHaveLength(1);
  });
  it('namedExportsOnly lets named exports through', () => {
    const text = `export { x, type Y } from './x.ts'; export function f() {}; export const c = 1`;
    expect(namedExportsOnly(new Map([['src/x.ts', text]]))).toEqual([]);
  });
});

describe('the shape of a file', () => {
  it('a file has a ceiling', () => {
    const lines = (count: number): Sources => new Map([['src/x.ts', 'x\n'.repeat(count)]]);
    expect(fileCeiling(lines(301))).toEqual(['src/x.ts: 301 lines; from 300 on it becomes a folder']);
    expect(fileCeiling(lines(300))).toEqual([]);
  });

  it.each(['src/core/utils.ts', 'src/common/x.ts', 'src/core/token/types.ts', 'src/Token.ts', 'src/my_token.ts'])(
    'a file is not called %s',
    (path) => {
      expect(fileNames(new Map([[path, '']]))).toHaveLength(1);
    },
  );
  it('a file is called what it holds', () => {
    expect(fileNames(new Map([['src/core/token/link-list.ts', '']]))).toEqual([]);
  });

  it('a file begins with its header', () => {
    const header = '/**\n * Says what.\n *\n * @module\n */\nimport x from "x"';
    expect(fileHeaders(new Map([['src/x.ts', header]]))).toEqual([]);
    for (const bad of ['', 'import x from "x"', '/**\n * Says what.\n */', '/**\n * A.\n */\n/**\n * @module\n */']) {
      expect(fileHeaders(new Map([['src/x.ts', bad]])), bad).toHaveLength(1);
    }
  });

  it('a file has a test twin, or a good reason', () => {
    const sources = new Map([
      ['src/core/a.ts', 'export const a = 1'],
      ['src/core/b.ts', 'export interface B {}'],
    ]);
    const twin = (name: string): string => `test/core/${name}.test.ts`;
    expect(testTwins(sources, new Set([twin('a')]), ['src/core/b.ts'])).toEqual([]);
    expect(testTwins(sources, new Set([twin('a')]), [])).toEqual(['src/core/b.ts: no test/core/b.test.ts']);
    expect(testTwins(sources, new Set([twin('a'), twin('b')]), ['src/core/b.ts'])).toEqual([
      'src/core/b.ts: exempt, but it has a test',
    ]);
    expect(testTwins(sources, new Set([twin('b')]), ['src/core/a.ts'])).toEqual([
      'src/core/a.ts: exempt, but it holds code',
    ]);
    expect(testTwins(sources, new Set([twin('a'), twin('b')]), ['src/core/gone.ts'])).toEqual([
      'src/core/gone.ts: exempt, but there is no such file',
    ]);
  });

  it('a file is a door exactly if exports says so', () => {
    const sources = house({ 'src/adapters/mcp.ts': '' });
    const keys = [
      '.',
      './guard',
      './sessions',
      './transcript',
      './testing',
      './fetch',
      './mcp',
      './terminal',
      './package.json',
    ];
    expect(doorsMatchSources(sources, keys)).toEqual([]);
    expect(doorsMatchSources(sources, [...keys.filter((key) => key !== './terminal'), './llm'])).toEqual([
      'src/adapters/terminal/index.ts: no exports["./terminal"]',
      'exports["./llm"]: no source',
    ]);
  });
});

describe('docstrings', () => {
  const door = 'src/index.ts';
  const check = (text: string): string[] =>
    docstrings(
      new Map([
        [door, `export { f as g } from './f.ts'`],
        ['src/f.ts', text],
      ]),
      [door],
    );

  it('docstrings accepts a function that says everything', () => {
    const full = `/**
      * Does it.
      *
      * @checkpoint always
      * @param token Stops it.
      * @param ms Milliseconds.
      * @returns The result.
      * @throws TypeError – \`ms\` is not a number.
      * @since 0.1.0
      */
     export function f(token: TokenLike, ms: number): number { return ms }`;
    expect(check(full)).toEqual([]);
    for (const [line, lacks] of [
      ['* Does it.', 'a sentence that says what it does'],
      ['* @checkpoint always', '@checkpoint always|never'],
      ['* @param ms Milliseconds.', '@param ms'],
      ['* @returns The result.', '@returns'],
      ['* @since 0.1.0', '@since'],
    ] as const) {
      expect(check(full.replace(line, '*')), line).toEqual([`src/f.ts:11: g lacks ${lacks}`]);
    }
    expect(check(full.replace('TypeError –', 'when wrong, a TypeError'))).toEqual([
      "src/f.ts:11: g lacks '@throws Type – when'",
    ]);
  });

  it('docstrings asks nothing of a function that returns nothing', () => {
    expect(check('/** Does it.\n * @since 0.1.0 */\nexport function f(): Promise<void> {}')).toEqual([]);
  });

  it('docstrings asks every public symbol for a docstring, also a type and a constant', () => {
    expect(check('export interface f { a: 1 }')).toEqual(['src/f.ts:1: g has no docstring']);
    expect(check('/** A thing. */\nexport type f = 1')).toEqual([]);
    expect(check('/** A thing. */\nexport const f = 1')).toEqual(['src/f.ts:2: g lacks @since']);
    expect(check('/** A thing. */\nexport class f {}')).toEqual(['src/f.ts:2: g lacks @since']);
    expect(check('export const other = 1')).toEqual(["src/index.ts: 'g' is declared nowhere"]);
  });

  it('docstrings reads a value and a type of one name separately, and of overloads the first', () => {
    const both = '/** A. */\nexport interface f {}\nexport const f = 1';
    expect(check(both)).toEqual(['src/f.ts:3: g has no docstring']);
    const overloads = `/** Does.\n * @param a A.\n * @returns B.\n * @since 0.1.0 */
      export function f(a: 1): 1; export function f(a: 2): 2; export function f(a: number): number { return a }`;
    expect(check(overloads)).toEqual([]);
  });
});

describe('titlesWithoutSubject', () => {
  const check = (code: string): string[] => titlesWithoutSubject(new Map([['test/a.test.ts', code]]));
  it.each([
    "it('is a fork', f)",
    "it('S07 refuses %s', f)",
    "it.each([1])('keeps %i', f)",
    'test(`has ${x}`, f)',
    "it('nor does a thief', f)",
    "itBare('S07 refuses', f)",
    "it('bare, a fork is refused', f)",
  ])('titlesWithoutSubject finds %s', (code) => {
    expect(check(code)).toHaveLength(1);
  });
  it.each([
    "it('S07 a fork is refused', f)",
    "it('stops are data', f)",
    "it('%s is one', f)",
    'it(name, f)',
    "describe('is', f)",
    "model('is asked', f)",
    "itBare('bare, a fork is refused', f)",
    "it('a bare fork is refused', f)",
  ])('titlesWithoutSubject lets %s through', (code) => {
    expect(check(code)).toEqual([]);
  });
});

describe('unscaledLimits', () => {
  const check = (code: string): string[] => unscaledLimits(new Map([['test/a.test.ts', code]]));
  it('unscaledLimits finds a limit that is the same on each machine', () => {
    expect(check('await expect.poll(f, { interval: 2, timeout: 10_000 }).toBe(1)')).toHaveLength(1);
  });
  it.each([
    'expect.poll(f)',
    'expect.poll(f, { timeout: limitMs(9) })',
    'expect.poll(f, { interval: 2 })',
    'call({ timeout: 9 })',
  ])('unscaledLimits lets %s through', (code) => {
    expect(check(code)).toEqual([]);
  });
});

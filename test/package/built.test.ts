import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { deadLinks } from '../docs/links.ts';
import { expectPinned, readBuilt } from './built.ts';
import { installPacked, root, type Consumer } from './consumer.ts';
import { copiesOfCore, declaredExports, foreignSpecifiers, packContents, strangersInBundle } from './rules.ts';

const run = promisify(execFile);
const doors = readDoors(root);

/** Each belongs to one class or function of the core; a second copy of the core would carry it again. */
const markers = ['desist.CancelledError', 'desist.DeadlineExceededError', 'desist.reason'];

/** What the front door must not load. */
const strangers = ['abort-controller-x', 'zod', 'fast-check', 'process.on('];

let consumer: Consumer;

beforeAll(() => {
  consumer = installPacked();
});
afterAll(() => {
  consumer.remove();
});

/** A built file and everything it loads from beside it, in one text. */
function loadedBy(entry: string): string {
  const files = readBuilt(/\.js$/);
  const seen = new Set<string>();
  const load = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [, next = ''] of (files.get(name) ?? '').matchAll(/from\s*'\.\/([^']+)'/g)) load(next);
  };
  load(entry);
  return [...seen].map((name) => files.get(name) ?? '').join('\n');
}

/** Values of the front door that come from other rooms than this. */
function valuesOutside(room: string): string[] {
  const text = readFileSync(join(root, 'src/index.ts'), 'utf8');
  const names: string[] = [];
  for (const node of ts.createSourceFile('index.ts', text, ts.ScriptTarget.ESNext).statements) {
    if (!ts.isExportDeclaration(node) || node.isTypeOnly || node.exportClause === undefined) continue;
    if (!ts.isNamedExports(node.exportClause) || node.moduleSpecifier === undefined) continue;
    if (ts.isStringLiteral(node.moduleSpecifier) && node.moduleSpecifier.text.startsWith(`./${room}/`)) continue;
    names.push(
      ...node.exportClause.elements.filter((element) => !element.isTypeOnly).map((element) => element.name.text),
    );
  }
  return names.sort();
}

/** How many instances the source pins: a bundler that took one for useless would take the speed with it. */
function pinsIn(text: string): number {
  return [...text.matchAll(/(?:^\s*|[{};])static (?:readonly )?(?:pinned|branded)\b/gm)].length;
}

/** What each door exports when it is loaded, by specifier. */
async function runtimeExports(): Promise<Record<string, string[]>> {
  const script = `
    const names = {}
    for (const door of process.argv.slice(1)) names[door] = Object.keys(await import(door)).sort()
    console.log(JSON.stringify(names))`;
  const args = ['--input-type=module', '--eval', script, '--', ...doors.map((door) => door.specifier)];
  const { stdout } = await run(process.execPath, args, { cwd: consumer.folder });
  return JSON.parse(stdout) as Record<string, string[]>;
}

/** Names every door and every value, and lets the compiler write down types that it inferred: those of all that is given, too. */
async function consumerSource(): Promise<string> {
  const lines = Object.entries(await runtimeExports()).map(([specifier, names], index) => {
    const id = String(index);
    return `import * as types${id} from '${specifier}'
import { ${names.map((name) => `${name} as ${name}${id}`).join(', ')} } from '${specifier}'
export const values${id}: readonly unknown[] = [${names.map((name) => name + id).join(', ')}]
${names.map((name) => `export const ${name}Gives${id} = given(${name}${id})`).join('\n')}
export { types${id} }`;
  });
  return `import { CancellationToken, CancellationTokenSource } from 'desist'
declare function given<A extends unknown[], R>(make: new (...args: A) => R): R
declare function given<A extends unknown[], R>(fn: (...args: A) => R): Awaited<R>
declare function given(value: unknown): undefined
${lines.join('\n')}
export const source = new CancellationTokenSource()
export const none = CancellationToken.none
export function inferred(): typeof source { return source.token.child() }
export const child = source.token.child()
// @ts-expect-error a token is read-only
source.token.isCancelled = true
`;
}

describe('what is published', () => {
  it('what is published is the pinned list of files', () => {
    expectPinned(
      'files.json',
      packContents(
        consumer.files,
        doors.map(({ id }) => id),
      ),
    );
  });

  it('the pages that ship link only to what ships', () => {
    const home = join(consumer.folder, 'node_modules/desist');
    const paths = consumer.files.filter((path) => path.endsWith('.md'));
    const pages = new Map(paths.map((path) => [path, readFileSync(join(home, path), 'utf8')]));
    expect(paths).toContain('README.md');
    expect(deadLinks(pages, (path) => existsSync(join(home, path)))).toEqual([]);
  });

  it('the tarball stays small', () => {
    expect(consumer.packedBytes).toBeLessThan(1_187_000);
    expect(consumer.unpackedBytes).toBeLessThan(4_090_000);
  });

  it('what is published has the pinned exports, door by door', async () => {
    const values = await runtimeExports();
    const pins = doors.map(({ specifier, id }) => {
      const declared = declaredExports(readBuilt(new RegExp(`^${id}\\.d\\.ts$`)).get(`${id}.d.ts`) ?? '');
      const here = values[specifier] ?? [];
      return [specifier, { values: here, types: declared.filter((name) => !here.includes(name)) }];
    });
    expectPinned('exports.json', Object.fromEntries(pins));
  });

  it('what is published grows by no name that nobody counted', () => {
    const pins = JSON.parse(readFileSync(join(root, 'test/package/exports.json'), 'utf8')) as Record<
      string,
      { readonly values: readonly string[]; readonly types: readonly string[] }
    >;
    const count = (kind: 'values' | 'types'): number => Object.values(pins).flatMap((door) => door[kind]).length;
    expect(count('values')).toBeLessThanOrEqual(147);
    expect(count('types')).toBeLessThanOrEqual(262);
  });

  it('what is published promises the same names to both formats', () => {
    const declarations = readBuilt(/\.d\.c?ts$/);
    for (const { id } of doors) {
      const [esm, cjs] = [`${id}.d.ts`, `${id}.d.cts`].map((name) => declaredExports(declarations.get(name) ?? ''));
      expect(cjs, id).toEqual(esm);
    }
  });

  it('what is published refers to no foreign package in its types', () => {
    expect(foreignSpecifiers(readBuilt(/\.d\.c?ts$/))).toEqual([]);
  });

  it('what is published holds one core per format, whichever doors are opened', () => {
    expect(copiesOfCore(readBuilt(/\.c?js$/), markers)).toEqual([]);
  });

  it('what is published loads nothing but itself through the front door', () => {
    expect(loadedBy('index.js')).toContain(markers[0]);
    expect(strangersInBundle(loadedBy('index.js'), strangers)).toEqual([]);
  });

  it('what is published pins what the source pins', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const wanted = sources.reduce((sum, text) => sum + pinsIn(text), 0);
    expect(wanted).toBeGreaterThan(0);
    expect(pinsIn([...readBuilt(/\.js$/).values()].join('\n'))).toBe(wanted);
    expect(pinsIn([...readBuilt(/\.cjs$/).values()].join('\n'))).toBe(wanted);
  });

  it('what is published is measured without the interrupt room exactly where the front door says so', () => {
    const limits = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8')) as {
      name: string;
      import: string;
    }[];
    const measured =
      limits.find(({ name }) => name === 'front door without the interrupt room')?.import.match(/\w+/g) ?? [];
    expect(measured.toSorted()).toEqual(valuesOutside('core/interrupt'));
  });
});

describe('as a user finds it', () => {
  it('the package works in both formats and across them', async () => {
    const { stdout } = await run(process.execPath, ['smoke/smoke.mjs'], { cwd: consumer.folder, timeout: 150_000 });
    expect(stdout.match(/^not ok .*$/gm) ?? []).toEqual([]);
    expect(stdout).toMatch(/^(\d+) of \1 checks$/m);
  }, 180_000);

  it.each(doors.map((door) => door.specifier))('%s does nothing when it is merely opened', async (specifier) => {
    const { stdout } = await run(process.execPath, ['smoke/idle.mjs', specifier], {
      cwd: consumer.folder,
      timeout: 30_000,
    });
    const changed = JSON.parse(stdout) as { globals: string[]; listeners: string[]; handles: string[] };
    // Registered symbols are how two copies of the package find each other.
    changed.globals = changed.globals.filter((name) => !name.startsWith('Symbol(desist.'));
    expect(changed).toEqual({ globals: [], listeners: [], handles: [] });
  });

  it('the package type-checks strictly in both formats, declarations of its own included', async () => {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2022', 'dom', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      rootDir: '.',
      outDir: 'declared',
      declaration: true,
    };
    const source = await consumerSource();
    const files = ['consumer.mts', 'consumer.cts'];
    for (const file of files) writeFileSync(join(consumer.folder, file), source);
    writeFileSync(join(consumer.folder, 'consumer.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const errors = await run(process.execPath, [tsc, '-p', 'consumer.json'], { cwd: consumer.folder }).then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(errors).toBe('');
  });
});

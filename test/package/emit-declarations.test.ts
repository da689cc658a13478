/** The declarations of one source after the other. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { emitDeclarations } from '../../scripts/emit-declarations.ts';

const options = { target: 'ES2022', module: 'NodeNext', isolatedDeclarations: true, declaration: true };

/** A project with one source. */
function projectOf(source: string): string {
  const root = mkdtempSync(join(tmpdir(), 'emit-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  mkdirSync(join(root, 'src/room'), { recursive: true });
  writeFileSync(join(root, 'src/room/index.ts'), source);
  writeFileSync(join(root, 'tsconfig.src.json'), JSON.stringify({ compilerOptions: options }));
  return root;
}

it('the declarations of a source read those of its neighbours', () => {
  const root = projectOf(`
    /** What it says. */
    export { other } from './other.ts';
    export type Late = import('../late.ts').Late;
    const text = "from './text.ts'";
    export const said: string = text;`);
  const placeOf = emitDeclarations(root);
  const text = readFileSync(join(root, placeOf('src/room/index.ts')), 'utf8');
  expect(text).toContain('/** What it says. */');
  expect(text).toContain("export { other } from './other.js';");
  expect(text).toContain("import('../late.js').Late");
  expect(text).toContain('export declare const said: string;');
});

it('the declarations of a source that leaves a type to be inferred are refused, with its name', () => {
  const root = projectOf('export const made = [1].map(String);');
  expect(() => emitDeclarations(root)).toThrow(/^src\/room\/index\.ts: .*isolatedDeclarations/);
});

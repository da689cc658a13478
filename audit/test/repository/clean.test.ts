/**
 * The code that this repository shows to others loses no stop: the demo, the classic agents, the examples, and the
 * programs of the recipes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { auditProgram, rulesFor } from '../../src/cli/audit.ts';
import { programOf, readProjects } from '../../src/cli/project.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const recipes = join(root, 'docs/recipes');

/** Each whole program of a recipe, as a file beside it. */
function programsOfRecipes(): Map<string, string> {
  const programs = new Map<string, string>();
  for (const page of readdirSync(recipes).filter((name) => name.endsWith('.md'))) {
    const blocks = readFileSync(join(recipes, page), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm);
    let index = 0;
    for (const [, code = ''] of blocks) {
      index += 1;
      programs.set(join(recipes, `${page.slice(0, -'.md'.length)}-${String(index)}.ts`), code);
    }
  }
  return programs;
}

it('the demo, the classic agents, the examples and the recipes are clean', () => {
  const [whole] = readProjects(join(root, 'tsconfig.json'), root);
  if (whole === undefined) throw new Error('no project');
  const shown = whole.fileNames.filter((file) => file.startsWith(join(root, 'examples/')));
  const recipePrograms = programsOfRecipes();
  const program = programOf({ ...whole, fileNames: shown }, recipePrograms);
  const files = [...shown, ...recipePrograms.keys()];
  const { findings, unread, files: read } = auditProgram(program, files, root, rulesFor(false));
  expect(unread).toEqual([]);
  expect(read).toBeGreaterThan(100);
  expect(recipePrograms.size).toBeGreaterThanOrEqual(9);
  for (const file of files) expect(program.getSourceFile(file), file).toBeDefined();
  expect(findings.map(({ file, line, rule, code }) => `${file}:${String(line)} ${rule} ${code}`)).toEqual([]);
});

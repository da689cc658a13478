/**
 * The code of a recipe as a module: what is tested is what the page prints.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { markdownSnippets } from '../../../docs/snippets.ts';
import { root } from '../../../package/consumer.ts';

/** Loads the first fence of a page; it uses of this package its types only. */
export async function loadRecipe(page: string): Promise<unknown> {
  const [snippet] = markdownSnippets(page, readFileSync(join(root, page), 'utf8'));
  if (snippet === undefined) throw new Error(`${page} shows no code`);
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  const folder = mkdtempSync(join(root, '.artifacts/recipe-'));
  try {
    const file = join(folder, 'recipe.ts');
    writeFileSync(file, snippet.code);
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as unknown;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

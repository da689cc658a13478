/**
 * A page whose script imports the built doors: as they are, by an import map, or bundled as people bundle.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild, stop as stopEsbuild } from 'esbuild';
import { build as vite } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Ways of getting a script into a page. */
export const bundlings = ['an import map', 'esbuild', 'Vite'] as const;
export type Bundling = (typeof bundlings)[number];

/** Pages by their path, ready for a site that serves `dist` under `/dist`. */
export async function bundledPage(how: Bundling, script: string): Promise<Record<string, string>> {
  if (how === 'an import map') {
    const imports = { desist: '/dist/index.js' };
    const doors = [...script.matchAll(/'desist\/([\w/-]+)'/g)].map(([, door = '']) => door);
    for (const door of doors) Object.assign(imports, { [`desist/${door}`]: `/dist/${door}.js` });
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    return { '/': pageOf(`${map}<script type="module">${script}</script>`) };
  }
  if (how === 'esbuild') {
    const bundled = await esbuild({
      stdin: { contents: script, resolveDir: root },
      absWorkingDir: root,
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
    });
    await stopEsbuild(); // its service is a process of its own
    const text = (bundled.outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
    return { '/': pageOf(`<script type="module">${text}</script>`) };
  }
  return await viteSite(script);
}

const pageOf = (body: string): string => `<!doctype html><title>doors</title>${body}`;

/** Vite's default build of a page with one script; the folder is inside the package, which then resolves itself. */
async function viteSite(script: string): Promise<Record<string, string>> {
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  const folder = mkdtempSync(join(root, '.artifacts', 'site-'));
  try {
    writeFileSync(join(folder, 'main.js'), script);
    writeFileSync(join(folder, 'index.html'), pageOf('<script type="module" src="/main.js"></script>'));
    await vite({ root: folder, configFile: false, logLevel: 'silent' });
    const files = readdirSync(join(folder, 'dist/assets')).filter((name) => name.endsWith('.js'));
    if (files.length !== 1) throw new Error(`expected one script, got ${files.join()}`);
    const text = readFileSync(join(folder, 'dist/assets', files[0] ?? ''), 'utf8').replaceAll('</script', '<\\/script');
    return { '/': pageOf(`<script type="module">${text}</script>`) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

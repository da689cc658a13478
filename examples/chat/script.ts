/** Bundles the page's program. */
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

export async function bundleScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('client.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'esm', minify: true, target: 'es2022', logLevel: 'error' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}
